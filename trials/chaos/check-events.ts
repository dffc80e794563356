/**
 * Checks that there are exactly the events that the final states imply, numbered from 1 without a gap, and that each
 * was delivered.
 */
import type { EventType } from "@oriel/protocol/api";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { Row } from "../../packages/server/src/platform/storage/tables.ts";
import type { Mistake } from "./mistake.ts";
import type { Receiver } from "./receiver.ts";

export async function checkEvents(db: Db, receiver: Pick<Receiver, "events" | "wrong">): Promise<Mistake[]> {
  const events = await db
    .selectFrom("event")
    .select(["id", "type", "object_id", "object_sequence"])
    .orderBy("id")
    .execute();
  const wrong = [...receiver.wrong];

  const expected = await expectedEvents(db);
  const byObject = Map.groupBy(events, (event) => event.object_id);
  for (const id of new Set([...expected.keys(), ...byObject.keys()])) {
    const of = (byObject.get(id) ?? []).toSorted((a, b) => a.object_sequence - b.object_sequence);
    const is = of.map(({ type, object_sequence }) => `${object_sequence} ${type}`).join();
    const types = (expected.get(id) ?? []).map((type, i) => `${i + 1} ${type}`).join();
    if (is !== types) wrong.push(`${id} has the events "${is}", but should have "${types}"`);
  }

  const known = new Map(events.map((event) => [event.id, event]));
  const received = new Set(receiver.events.map(({ id }) => id));
  for (const { id, type } of events) if (!received.has(id)) wrong.push(`${id} (${type}) never arrived`);
  for (const { id, type, object_sequence } of receiver.events) {
    const event = known.get(id);
    if (event?.type !== type || event.object_sequence !== object_sequence)
      wrong.push(`${id} arrived, but doesn't match the stored event`);
  }
  return wrong.map((what) => ({ kind: "event", what }));
}

/** Event types, in order, by object. */
async function expectedEvents(db: Db): Promise<Map<string, EventType[]>> {
  const charges = await db.selectFrom("charge").select(["id", "status", "capture_method"]).execute();
  const declined = await declinedAttempts(db);
  const refunds = await db.selectFrom("refund").select(["id", "status"]).execute();
  const sessions = await db
    .selectFrom("checkout_session")
    .select(["id", "mode", "amount", "status", "promotion_code_entries"])
    .execute();
  const items = await db.selectFrom("attention").select("id").execute();
  return new Map<string, EventType[]>([
    ...charges.map((charge) => [charge.id, ofCharge(charge, declined.get(charge.id) ?? [])] as const),
    ...refunds.map(({ id, status }) => [id, ofRefund(status)] as const),
    ...sessions.map((session) => [session.id, ofSession(session)] as const),
    ...items.map(({ id }): [string, EventType[]] => [id, ["account.needs_attention"]]),
  ]);
}

/** Capture and cancellation attempts that the acquirer declined, by charge, oldest first. */
async function declinedAttempts(db: Db) {
  const declined = await db
    .selectFrom("attempt")
    .select(["charge_id", "kind"])
    .where("kind", "in", ["capture", "cancel"])
    .where("status", "=", "declined")
    .orderBy("created_at")
    .execute();
  return Map.groupBy(declined, ({ charge_id }) => charge_id);
}

function ofCharge(
  { status, capture_method }: Pick<Row<"charge">, "status" | "capture_method">,
  declined: Pick<Row<"attempt">, "kind">[],
): EventType[] {
  const refused = declined.map(({ kind }): EventType =>
    kind === "capture" ? "charge.capture_failed" : "charge.cancel_failed",
  );
  switch (status) {
    case "processing":
      return [];
    case "failed":
      return ["payment_failed"];
    case "authorized":
      return ["charge.authorized", ...refused];
    case "canceled":
      return ["charge.authorized", ...refused, "charge.canceled"];
    case "succeeded":
      return capture_method === "manual"
        ? ["charge.authorized", ...refused, "payment.succeeded"]
        : ["payment.succeeded"];
  }
}

function ofRefund(status: Row<"refund">["status"]): EventType[] {
  return status === "processing" || status === "pending" ? [] : [`refund.${status}`];
}

function ofSession({
  mode,
  amount,
  status,
  promotion_code_entries,
}: Pick<Row<"checkout_session">, "mode" | "amount" | "status" | "promotion_code_entries">): EventType[] {
  const requested = Array<EventType>(promotion_code_entries).fill("checkout_session.update_requested");
  if (status === "expired") return [...requested, "checkout_session.expired"];
  const hasCharge = mode === "payment" && amount !== 0;
  return status === "complete" && !hasCharge ? [...requested, "checkout_session.completed"] : requested;
}
