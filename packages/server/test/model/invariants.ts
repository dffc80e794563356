/**
 * Invariants of this account's rows at any moment: the money adds up, a session is paid once, final states don't
 * change, and exactly one event reports each end. Reads the database only and doesn't use the model.
 */
import { expect } from "vitest";
import type { Row } from "../../src/platform/storage/tables.ts";
import type { World } from "./world.ts";

export interface Rows {
  charges: Row<"charge">[];
  refunds: Row<"refund">[];
  sessions: Row<"checkout_session">[];
  decisions: Row<"decision">[];
  attempts: Row<"attempt">[];
  events: Row<"event">[];
}

export async function readRows({ service, accountNo }: World): Promise<Rows> {
  const { db } = service.context;
  const of = <T extends "charge" | "refund" | "checkout_session" | "decision" | "attempt" | "event">(table: T) =>
    db
      .selectFrom(table as "charge")
      .selectAll()
      .where("account_no", "=", accountNo)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
  return {
    charges: await of("charge"),
    // Each of these tables has the columns named above, and the rows come from the requested table.
    refunds: (await of("refund")) as unknown as Rows["refunds"],
    sessions: (await of("checkout_session")) as unknown as Rows["sessions"],
    decisions: (await of("decision")) as unknown as Rows["decisions"],
    attempts: (await of("attempt")) as unknown as Rows["attempts"],
    events: (await of("event")) as unknown as Rows["events"],
  };
}

/** @throws an error about the first invariant that is violated */
export function expectInvariants(rows: Rows, final: World["final"]): void {
  expectMoneyAddsUp(rows);
  expectOneSuccessPerSession(rows);
  expectOneEventPerEnd(rows);
  expectFinalStatesUnchanged(rows, final);
}

function expectMoneyAddsUp({ charges, refunds, attempts }: Rows): void {
  for (const charge of charges) {
    const { id, status, amount, amount_captured, amount_refunded, amount_refunding } = charge;
    const own = refunds.filter((refund) => refund.charge_id === id);
    const sum = (wanted: Row<"refund">["status"]) =>
      own.filter((refund) => refund.status === wanted).reduce((total, refund) => total + refund.amount, 0);
    expect(amount_refunded + amount_refunding, `refunded from ${id}`).toBeLessThanOrEqual(amount_captured);
    expect(amount_captured, `captured for ${id}`).toBeLessThanOrEqual(amount);
    expect([amount_refunded, amount_refunding], `refunds of ${id}`).toEqual([sum("succeeded"), sum("processing")]);
    expect(amount_captured > 0, `captured for ${id}, which is ${status}`).toBe(status === "succeeded");
    const open = attempts.filter((attempt) => attempt.charge_id === id && attempt.status === "processing");
    const isOpen = (kind: string) => open.filter((attempt) => attempt.kind === kind).length;
    const isChallengePending = isSteppedUp(attempts.filter((attempt) => attempt.charge_id === id));
    expect(isOpen("authorize"), `open authorizations of ${id}`).toBe(
      status === "processing" && !isChallengePending ? 1 : 0,
    );
    expect(isOpen("capture") + isOpen("cancel"), `captures and cancellations of ${id} in progress`).toBe(
      charge.busy_attempt_id === null ? 0 : 1,
    );
    expect(isOpen("refund"), `open refunds of ${id}`).toBe(
      own.filter((refund) => refund.status === "processing").length,
    );
  }
}

/** The acquirer declined the first authorization because it lacked authentication, and no second one has been sent. */
function isSteppedUp(attempts: Row<"attempt">[]): boolean {
  const first = attempts.find(({ kind, is_step_up }) => kind === "authorize" && !is_step_up);
  return first?.decline_code === "authentication_required" && !attempts.some(({ is_step_up }) => is_step_up);
}

const notFailed: readonly string[] = ["processing", "authorized", "succeeded"];

function expectOneSuccessPerSession({ sessions, charges, decisions }: Rows): void {
  for (const { id, status, payment_status } of sessions) {
    const own = charges.filter((charge) => charge.session_id === id);
    const found = own.filter((charge) => notFailed.includes(charge.status)).map((charge) => charge.status);
    expect(found.length, `valid charges of ${id}`).toBeLessThanOrEqual(1);
    if (payment_status === "paid") expect([status, found], `paid session ${id}`).toEqual(["complete", ["succeeded"]]);
    if (payment_status === "authorized") expect([status, found], `session ${id}`).toEqual(["complete", ["authorized"]]);
    if (status === "expired" || status === "canceled")
      expect(found, `charges of ${id}, which is ${status}`).toEqual([]);
  }
  for (const { id, status, charge_id } of decisions) {
    const own = charges.filter((charge) => charge.decision_id === id).map((charge) => charge.id);
    expect(own, `charges of ${id}, which is ${status}`).toEqual(charge_id === null ? [] : [charge_id]);
  }
}

/** The events that end each kind of object, by the status they report. */
const endings: Record<string, string> = {
  "payment.succeeded": "succeeded",
  payment_failed: "failed",
  "charge.canceled": "canceled",
  "refund.succeeded": "succeeded",
  "refund.failed": "failed",
  "checkout_session.expired": "expired",
  "checkout_session.completed": "complete",
};

function expectOneEventPerEnd({ charges, refunds, sessions, events }: Rows): void {
  const ends = (object: { id: string }) =>
    events.filter((event) => event.object_id === object.id && event.type in endings).map((event) => event.type);
  const expectEvents = (objects: { id: string; status: string }[], kinds: Record<string, string>) => {
    for (const object of objects) {
      const kind = kinds[object.status];
      expect(ends(object), `events that end ${object.id}, which is ${object.status}`).toEqual(
        kind === undefined ? [] : [kind],
      );
    }
  };
  expectEvents(charges, { succeeded: "payment.succeeded", failed: "payment_failed", canceled: "charge.canceled" });
  expectEvents(refunds, { succeeded: "refund.succeeded", failed: "refund.failed" });
  const expired = { expired: "checkout_session.expired" };
  expectEvents(
    sessions.filter(({ mode, amount }) => mode === "payment" && amount !== 0),
    expired,
  );
  expectEvents(
    sessions.filter(({ mode, amount }) => mode === "setup" || amount === 0),
    { ...expired, complete: "checkout_session.completed" },
  );

  const sequences = Map.groupBy(events, (event) => event.object_id);
  for (const [id, own] of sequences) {
    const numbers = own.map((event) => event.object_sequence).sort((a, b) => a - b);
    expect(numbers, `sequence of the events of ${id}`).toEqual(own.map((_, index) => index + 1));
  }
  for (const { id, type, object } of events) {
    if (type in endings) expect(object["status"], `what ${type} ${id} reports`).toBe(endings[type]);
  }
}

function expectFinalStatesUnchanged(rows: Rows, final: World["final"]): void {
  for (const [name, part] of finalParts(rows)) {
    const text = JSON.stringify(part);
    expect(text, `${name} was final`).toBe(final.get(name) ?? text);
    final.set(name, text);
  }
  const present = new Set(Object.values(rows).flatMap((list: { id: string }[]) => list.map(({ id }) => id)));
  for (const name of final.keys()) expect(present, `${name} was final and still exists`).toContain(name.split(" ")[0]);
}

/**
 * Fields that no longer change, by name. For a succeeded charge: all but the refunded amount. For a complete session:
 * all but whether the reserved money was captured, which also becomes final once it is. For a consumed decision: all
 * but what a second authentication returned.
 */
function* finalParts({ charges, refunds, sessions, decisions, attempts, events }: Rows): Generator<[string, unknown]> {
  for (const charge of charges) {
    const { amount_refunded: _refunded, amount_refunding: _refunding, ...rest } = charge;
    if (charge.status === "succeeded") yield [charge.id, rest];
    if (charge.status === "failed" || charge.status === "canceled") yield [charge.id, charge];
  }
  for (const session of sessions) {
    const { payment_status, ...rest } = session;
    if (session.status !== "open") yield [session.id, rest];
    if (session.status !== "open" && payment_status !== "authorized")
      yield [`${session.id} payment_status`, payment_status];
  }
  for (const row of [...refunds, ...attempts]) if (row.status !== "processing") yield [row.id, row];
  for (const decision of decisions) {
    const stepUp = {
      three_ds_result: null,
      three_ds_version: null,
      eci: null,
      decline_code: null,
      cardholder_info: null,
    };
    if (decision.status === "consumed") yield [decision.id, { ...decision, ...stepUp }];
    if (decision.status === "declined" || decision.status === "expired") yield [decision.id, decision];
  }
  for (const event of events) yield [event.id, event];
}
