/** Creates one of each object that a money request can be about, in every stable state. */
import { sweep } from "../../src/worker.ts";
import { addFaults, clearFaults } from "./bank-ledger.ts";
import { cardNumbers, payUpToChallenge } from "./customer.ts";
import type { Merchant } from "./merchant.ts";
import type { Json, TestService } from "./test-service.ts";

export type EveryState = Awaited<ReturnType<typeof everyState>>;

/** @returns the IDs */
export async function everyState(service: TestService, merchant: Merchant) {
  const charge = async (card = "pm_card_visa", more: object = {}) => (await merchant.charge(card, more)).body;
  const reserved = { capture_method: "manual" };
  const latest = async () => idOf((await merchant.list("charges?limit=1"))[0]);
  const session = async (more: object = {}) => await merchant.checkout(more);

  const [authorized, busy, canceled, captured, refunded] = [
    await charge("pm_card_visa", reserved),
    await charge("pm_card_visa", reserved),
    await charge("pm_card_visa", reserved),
    await charge("pm_card_visa", reserved),
    await charge(),
  ];
  await merchant.cancel(idOf(canceled));
  await merchant.capture(idOf(captured), 1000);
  await merchant.refund(idOf(refunded));
  await merchant.charge("pm_card_declined_generic");
  const failed = await latest();

  const [paid, waiting, challenged, expired, ended, saved, unsaved] = [
    await session(),
    await session({ confirmation: "server" }),
    await session(),
    await session(),
    await session(),
    await session({ mode: "setup" }),
    await session(),
  ];
  await paid.pay(cardNumbers.approved);
  await waiting.pay(cardNumbers.approved);
  const challenge = await payUpToChallenge(challenged);
  await merchant.call("POST", `/api/v1/checkout_sessions/${expired.sessionId}/expire`);
  await merchant.call("POST", `/api/v1/checkout_sessions/${ended.sessionId}/cancel`);
  await saved.pay(cardNumbers.approved);
  await unsaved.pay(cardNumbers.declined);
  const detachedCheckout = await session({ mode: "setup" });
  await detachedCheckout.pay(cardNumbers.approved);
  const detached = String((await detachedCheckout.session())["payment_method_id"]);
  await merchant.call("POST", `/api/v1/payment_methods/${detached}/detach`);

  const savedId = String((await saved.session())["payment_method_id"]);
  const [approved, waits, declined, old] = [
    await merchant.decide("pm_card_visa"),
    await merchant.decide("pm_card_three_d_secure_required"),
    await merchant.decide(savedId),
    await merchant.decide("pm_card_visa"),
  ];
  const { db, now } = service.context;
  const no = { status: "declined", decline_code: "risk_rejected", risk_level: "high" } as const;
  await db.updateTable("decision").set(no).where("id", "=", idOf(declined)).execute();
  await db.updateTable("decision").set({ expires_at: now() }).where("id", "=", idOf(old)).execute();

  // These come last, because the acquirer is down from here on.
  await addFaults(service, { fault: "down" }, { match: { kind: "lookup" }, fault: "down" });
  await merchant.cancel(idOf(busy));
  await charge();
  const processing = await latest();
  const notYet = new Date(now().getTime() + 24 * 60 * 60_000);
  await db
    .updateTable("attempt")
    .set({ next_call_at: notYet, claimed_until: notYet })
    .where("status", "=", "processing")
    .execute();
  await clearFaults(service);

  await sweep(service.context); // makes all changes that are due now, so that none happens during a test

  const unsavedCharge = (await merchant.list(`charges?session_id=${unsaved.sessionId}`))[0];
  return {
    authorized: idOf(authorized),
    busy: idOf(busy),
    canceled: idOf(canceled),
    captured: idOf(captured),
    refunded: idOf(refunded),
    failed,
    processing,
    paid: paid.sessionId,
    waiting: waiting.sessionId,
    challenged: challenged.sessionId,
    challenge: challenge.id,
    challengedCard: String((await merchant.read(`decisions/${challenge.id}`))["payment_method_id"]),
    expired: expired.sessionId,
    ended: ended.sessionId,
    savedCard: savedId,
    unsavedCard: String(unsavedCharge?.["payment_method_id"]),
    detachedCard: detached,
    approved: idOf(approved),
    waits: idOf(waits),
    declined: idOf(declined),
    old: idOf(old),
    consumed: String(refunded["decision_id"]),
  };
}

function idOf({ id }: Json | undefined = {}): string {
  return String(id);
}
