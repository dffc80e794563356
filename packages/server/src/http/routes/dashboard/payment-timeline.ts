/**
 * One payment and all that happened about it, in order: from the session it was made in, by way of the verdict, 3-D
 * Secure and the messages to the bank, to what the merchant was told. Everything is data; the page finds the words.
 *
 * Trusts that what a merchant's own charge refers to (its decision, its attempts, its deliveries) is that merchant's as
 * well; what is looked up by something else names the merchant.
 */
import type { AttemptInfo, AuthenticationInfo, PaymentDetail, TimelineEntry } from "@oriel/protocol/dashboard-payments";
import { retrieveCharge } from "../../../payments/flow/charges.ts";
import type { Context } from "../../context.ts";
import { retrieveDecision } from "../../../payments/decisions/decisions.ts";
import { listRefunds } from "../../../payments/flow/refunds.ts";
import { retrieveCheckoutSession } from "../../../payments/sessions/checkout-sessions.ts";
import type { Db } from "../../../platform/storage/database.ts";
import type { Row } from "../../../platform/storage/tables.ts";
import { ownedBy, type Tenant } from "../../../platform/tenant.ts";
import { isProved } from "../../../payments/threeds/outcome.ts";
import { unixSeconds } from "../../../platform/unix-seconds.ts";
import { deliveriesOfEvents } from "../../../webhooks/deliveries.ts";
import { eventsOfObjects, toSummary } from "../../../webhooks/events.ts";
import { chargeRows, toPaymentRow } from "../../../payments/reporting/payment-search.ts";

/** What a timeline takes; the newest of each. A session ends after five failures. */
const maxRefunds = 100;
const maxAttempts = 500;
const maxEvents = 500;
const maxDeliveries = 2_000;
const maxEarlierTries = 20;

/** Where the bank has not said yet, it is asked, for two seconds at most. @throws ApiError 404 */
export async function retrievePayment(context: Context, tenant: Tenant, id: string): Promise<PaymentDetail> {
  const { db } = context;
  await retrieveCharge(context, tenant, id);
  const own = chargeRows(db, (charges) => charges.where(ownedBy(tenant)).where("id", "=", id));
  const row = await own.executeTakeFirstOrThrow();
  const { session_id: sessionId, decision_id: decisionId } = row;
  const [session, earlier, decision, authentications, attempts, refunds] = await Promise.all([
    sessionId === null ? null : retrieveCheckoutSession(context, tenant, sessionId),
    sessionId === null ? [] : readEarlierTries(db, tenant, sessionId, id),
    retrieveDecision(context, tenant, decisionId),
    db.selectFrom("authentication").selectAll().where("decision_id", "=", decisionId).execute(),
    db.selectFrom("attempt").selectAll().where("charge_id", "=", id).orderBy("id", "desc").limit(maxAttempts).execute(),
    listRefunds(context, tenant, { charge_id: id, limit: String(maxRefunds) }),
  ]);
  const objectIds = [id, ...(sessionId === null ? [] : [sessionId]), ...refunds.data.map((refund) => refund.id)];
  const events = await eventsOfObjects(db, tenant, objectIds, maxEvents);
  const eventIds = events.map((event) => event.id);
  const deliveries = await deliveriesOfEvents(db, eventIds, maxDeliveries);

  // In the order in which such things happen, for those of one second.
  const timeline: TimelineEntry[] = [
    ...(session === null ? [] : [{ at: session.created, type: "session_created" as const, session }]),
    ...earlier.map((payment) => ({ at: payment.created, type: "earlier_try" as const, payment })),
    { at: decision.created, type: "decision", decision },
    ...inOrder(authentications, attempts),
    ...refunds.data.reverse().map((refund) => {
      const attempt = attempts.find(({ refund_id }) => refund_id === refund.id);
      return {
        at: refund.created,
        type: "refund" as const,
        refund,
        attempt: attempt === undefined ? null : toAttemptInfo(attempt),
      };
    }),
    ...events.reverse().map((event) => ({
      at: unixSeconds(event.created_at),
      type: "event" as const,
      event: toSummary(event),
      deliveries: deliveries.filter(({ event_id }) => event_id === event.id),
    })),
  ];
  timeline.sort((a, b) => a.at - b.at); // keeps the order of what is of one second
  return {
    ...toPaymentRow(row),
    timeline,
    is_cut: refunds.has_more || attempts.length === maxAttempts || events.length === maxEvents,
  };
}

/** Oldest first. */
async function readEarlierTries(db: Db, tenant: Tenant, sessionId: string, before: string) {
  const tries = chargeRows(db, (charges) =>
    charges
      .where(ownedBy(tenant))
      .where("session_id", "=", sessionId)
      .where("id", "<", before)
      .where("status", "=", "failed"),
  );
  const rows = await tries.orderBy("charge.id", "desc").limit(maxEarlierTries).execute();
  return rows.reverse().map(toPaymentRow);
}

/**
 * What runs with the customer and the bank: a second authentication comes after the first authorisation, whose refusal
 * asked for it.
 */
function inOrder(authentications: Row<"authentication">[], attempts: Row<"attempt">[]): TimelineEntry[] {
  const all = [
    ...authentications.map((row) => ({ row, entry: toAuthenticationEntry(row) })),
    ...attempts.flatMap((row) => {
      const entry = toAttemptEntry(row);
      return entry === null ? [] : [{ row, entry }];
    }),
  ];
  return all.sort((a, b) => a.row.created_at.getTime() - b.row.created_at.getTime()).map(({ entry }) => entry);
}

function toAuthenticationEntry(row: Row<"authentication">): TimelineEntry {
  const authentication: AuthenticationInfo = {
    id: row.id,
    is_step_up: row.is_step_up,
    status: row.status,
    version: row.version,
    asked: row.asked,
    result: row.result,
    trans_status: row.trans_status,
    trans_status_reason: row.trans_status_reason,
    eci: row.eci,
    liability_shift: isProved(row.result),
    cardholder_info: row.cardholder_info,
  };
  return { at: unixSeconds(row.created_at), type: "authentication", authentication };
}

/** Null for what stands with its refund, or belongs to no charge. */
function toAttemptEntry(row: Row<"attempt">): TimelineEntry | null {
  const at = unixSeconds(row.created_at);
  const attempt = toAttemptInfo(row);
  switch (row.kind) {
    case "authorize":
      return { at, type: "authorization", attempt };
    case "capture":
      return { at, type: "capture", attempt };
    case "cancel":
      return { at, type: "cancellation", attempt };
    case "refund":
    case "verify":
      return null;
  }
}

function toAttemptInfo(row: Row<"attempt">): AttemptInfo {
  const { id, kind, status, amount, is_step_up, times_asked, decline_code } = row;
  const finished = row.finished_at === null ? null : unixSeconds(row.finished_at);
  const next_ask = status === "processing" ? unixSeconds(row.next_ask_at) : null;
  return { id, kind, status, amount, is_step_up, times_asked, decline_code, finished, next_ask };
}
