/** Compares the database with the model: every object in the model exists with the same state, and no others exist. */
import { expect } from "vitest";
import type { ApiResponse } from "../setup/test-service.ts";
import type { Rows } from "./invariants.ts";
import type { Expected } from "./objects.ts";
import type { Reference } from "./reference.ts";

/** Checks the parts of a response that the model predicts. */
export function expectResponse(response: ApiResponse, { status, code, param, declineCode, body }: Expected): void {
  const error = response.body["error"];
  const received = {
    status: response.status,
    code: error?.["code"],
    param: error?.["param"],
    decline: error?.["decline_code"],
  };
  const predicted = { status, code, param, decline: declineCode };
  expect(received, `${JSON.stringify(predicted)} was expected, but got ${response.text}`).toEqual(predicted);
  if (body !== undefined) expect(response.body).toMatchObject(body);
}

/** Finds the IDs of objects that the model knows were created, even if the response was lost. */
export function assignIds(model: Reference, { charges, refunds, decisions, sessions }: Rows): void {
  for (const decision of model.decisions) {
    if (decision.id === null) {
      const isKnown = (id: string) => model.decisions.some((known) => known.id === id);
      const sessionId = decision.session?.id ?? null;
      decision.id = only(decisions.filter((row) => row.session_id === sessionId && !isKnown(row.id))).id;
    }
    decision.method.id ??= decisions.find((row) => row.id === decision.id)?.payment_method_id ?? null;
  }
  for (const charge of model.charges) {
    charge.id ??= only(charges.filter((row) => row.decision_id === charge.decision.id)).id;
  }
  for (const refund of model.refunds) {
    const isKnown = (id: string) => model.refunds.some((known) => known.id === id);
    refund.id ??= only(refunds.filter((row) => row.charge_id === refund.charge.id && !isKnown(row.id))).id;
  }
  for (const session of model.sessions) only(sessions.filter((row) => row.id === session.id));
}

export function expectModelMatches(model: Reference, rows: Rows): void {
  const events = Map.groupBy(rows.events, (event) => event.object_id);
  const received = (id: string | null) => {
    const own = events.get(id ?? "") ?? [];
    return own.sort((a, b) => a.object_sequence - b.object_sequence).map((event) => event.type);
  };
  const real = {
    charges: rows.charges.map((row) => ({
      id: row.id,
      status: row.status,
      amounts: [row.amount, row.amount_captured, row.amount_refunded, row.amount_refunding],
      capture: row.capture_method,
      isBusy: row.busy_attempt_id !== null,
      decline: row.decline_code,
      events: received(row.id),
    })),
    refunds: rows.refunds.map((row) => ({
      id: row.id,
      charge: row.charge_id,
      status: row.status,
      amount: row.amount,
      decline: row.decline_code,
      events: received(row.id),
    })),
    decisions: rows.decisions.map((row) => ({
      id: row.id,
      status: row.status,
      amount: row.amount,
      decline: row.decline_code,
    })),
    sessions: rows.sessions.map((row) => ({
      id: row.id,
      status: row.status,
      paymentStatus: row.payment_status,
      failed: row.failed_payments,
      payment: row.payment_decision_id,
      events: received(row.id),
    })),
    attempts: rows.attempts.map(
      (row) => `${row.kind} ${row.amount} ${row.status} ${row.decline_code} called ${row.calls}`,
    ),
  };
  const predicted: typeof real = {
    charges: model.charges.map((charge) => ({
      id: charge.id ?? "",
      status: charge.status,
      amounts: [charge.amount, charge.captured, charge.refunded, charge.refunding],
      capture: charge.captureMethod,
      isBusy: charge.busy !== null,
      decline: charge.declineCode,
      events: charge.events,
    })),
    refunds: model.refunds.map((refund) => ({
      id: refund.id ?? "",
      charge: refund.charge.id ?? "",
      status: refund.status,
      amount: refund.amount,
      decline: refund.declineCode,
      events: refund.events,
    })),
    decisions: model.decisions.map(({ id, status, amount, declineCode }) => ({
      id: id ?? "",
      status,
      amount,
      decline: declineCode,
    })),
    sessions: model.sessions.map((session) => ({
      id: session.id ?? "",
      status: session.status,
      paymentStatus: session.paymentStatus,
      failed: session.failed,
      // A successful payment stays attached to the session. A failed one is detached.
      payment: session.payment?.id ?? null,
      events: session.events,
    })),
    attempts: model.attempts.map(({ kind, amount, outcome, calls }) => {
      const status = outcome === null ? "processing" : outcome === "approved" ? "approved" : "declined";
      return `${kind} ${amount} ${status} ${outcome === "approved" ? null : outcome} called ${calls}`;
    }),
  };
  expect(byId(real)).toEqual(byId(predicted));
}

/** The charges of one sweep are in no particular order. */
function byId<T extends { charges: { id: string }[] }>(all: T): T {
  return { ...all, charges: all.charges.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

function only<T>(rows: T[]): T {
  const [first] = rows;
  if (first === undefined || rows.length > 1)
    throw new Error(`The model predicts one more row, but there are ${rows.length}`);
  return first;
}
