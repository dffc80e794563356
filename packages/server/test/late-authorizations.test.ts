/**
 * Tests authorizations that never reached the acquirer: how long they are resent, when they fail, and what canceling
 * their charge does. No worker runs here.
 */
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { inFlightSeconds, readerPauseSeconds, sendSeconds } from "../src/payments/attempts/deadlines.ts";
import { runAttempt } from "../src/payments/flow/run-attempt.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { prepare, type BankWork } from "./setup/bank-work.ts";
import { expectError, invalid, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, order, summarize } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const processingError: Refusal = {
  status: 402,
  type: "card_error",
  code: "card_declined",
  decline_code: "processing_error",
};
const unknown = { state: "unknown" };

const service = await openForTests(startTestService({ role: "api" }));
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const pass = (seconds: number) => service.moveClock(seconds * 1000);
/** Checks the attempt for a reader after a pause, because a read doesn't repeat a recent check. */
const check = (id: string) => {
  pass(readerPauseSeconds);
  return runAttempt(service.context, id, { wanted: true });
};

/** Sends a request during an outage: nothing reaches the acquirer, and it doesn't respond to status checks. */
async function sendInOutage(kind: BankWork["kind"]): Promise<{ work: BankWork; id: string }> {
  const work = await prepare(service, merchant, kind);
  await addFaults(service, { fault: "down" }, { match: { kind: "lookup" }, fault: "down" });
  await work.send();
  await clearFaults(service);
  return { work, id: await work.attemptId() };
}

/**
 * Creates a charge during an outage.
 * @param fault what the acquirer does with the authorization
 */
async function openCharge(
  fault: "down" | "error_after",
  more: object = {},
): Promise<{ id: string; attemptId: string }> {
  const decision_id = String((await merchant.decide("pm_card_visa"))["id"]);
  await addFaults(service, { match: { kind: "authorization" }, fault }, { match: { kind: "lookup" }, fault: "down" });
  const request = { ...order, payment_method_id: "pm_card_visa", decision_id, ...more };
  expect((await merchant.call("POST", "/api/v1/charges", request)).status).toBe(503);
  await clearFaults(service);
  const attempts = service.context.db
    .selectFrom("attempt")
    .select(["id", "charge_id"])
    .where("decision_id", "=", decision_id);
  const { id, charge_id } = await attempts.executeTakeFirstOrThrow();
  return { id: String(charge_id), attemptId: id };
}

const markNeverSent = (id: string) =>
  service.context.db.updateTable("attempt").set({ calls: 0 }).where("id", "=", id).execute();
const statusOf = async (id: string) => {
  const charge = service.context.db.selectFrom("charge").select("status").where("id", "=", id);
  return (await charge.executeTakeFirstOrThrow()).status;
};
const eventsOf = async (id: string) => summarize(await merchant.events(id));

describe.each(["authorize", "verify"] as const)("a request to %s that never reached the acquirer", (kind) => {
  const end =
    kind === "authorize" ? { state: "failed", events: ["payment_failed 1 failed"] } : { state: "declined", events: [] };

  it("is resent for up to fifteen minutes", async () => {
    const { work, id } = await sendInOutage(kind);
    pass(sendSeconds - 10);
    expect(await check(id)).toMatchObject({ state: "settled" });
    expect(await work.booked()).toEqual(["approved 1"]);
    expect(await work.events()).toEqual(work.expected.events);
  });

  it("isn't resent after fifteen minutes, and fails once nothing can still be in flight", async () => {
    const { work, id } = await sendInOutage(kind);
    pass(sendSeconds);
    expect(await check(id)).toEqual(unknown);
    expect(await work.state()).toBe("processing");
    const attempt = service.context.db.selectFrom("attempt").select("next_call_at").where("id", "=", id);
    const { next_call_at } = await attempt.executeTakeFirstOrThrow();
    expect(next_call_at.getTime()).toBeLessThanOrEqual(service.context.now().getTime() + inFlightSeconds * 1000);

    pass(inFlightSeconds);
    expect(await check(id)).toMatchObject({ state: "settled" });
    expect(await work.state()).toBe(end.state);
    expect(await work.events()).toEqual(end.events);
    expect(await work.booked()).toEqual([]);
    if (kind === "authorize") expectError(await work.send(), processingError);
  });

  it("doesn't fail until the acquirer confirms that it has no record of it, however late", async () => {
    const { id } = await sendInOutage(kind);
    pass(24 * 3600);
    await addFaults(service, { match: { kind: "lookup" }, fault: "down" });
    expect(await check(id)).toEqual(unknown);
    await clearFaults(service);
    expect(await check(id)).toMatchObject({ state: "settled" });
    const attempt = service.context.db.selectFrom("attempt").select(["status", "decline_code"]).where("id", "=", id);
    expect(await attempt.execute()).toEqual([{ status: "declined", decline_code: "processing_error" }]);
  });

  it("fails at once after fifteen minutes if it was never sent", async () => {
    const { work, id } = await sendInOutage(kind);
    await markNeverSent(id);
    pass(sendSeconds);
    expect(await check(id)).toMatchObject({ state: "settled" });
    expect(await work.state()).toBe(end.state);
    expect(await work.booked()).toEqual([]);
  });
});

it("an authorization that the acquirer received succeeds, however late we find out", async () => {
  const { id, attemptId } = await openCharge("error_after");
  pass(24 * 3600);
  expect(await check(attemptId)).toMatchObject({ state: "settled" });
  expect(await eventsOf(id)).toEqual(["payment.succeeded 1 succeeded"]);
});

it.each(["capture", "cancel", "refund"] as const)(
  "a request to %s is resent, however late, because the merchant requested it",
  async (kind) => {
    const { work, id } = await sendInOutage(kind);
    pass(24 * 3600);
    expect(await check(id)).toMatchObject({ state: "settled" });
    expect(await work.booked()).toEqual(["approved 1"]);
  },
);

describe("canceling a charge of unknown outcome", () => {
  it("ends the charge at once when the acquirer was never called", async () => {
    const { id, attemptId } = await openCharge("down");
    await markNeverSent(attemptId);
    expect(await merchant.cancel(id)).toMatchObject({
      status: 200,
      body: { object: "charge", id, status: "processing" },
    });
    expect(await check(attemptId)).toMatchObject({ state: "settled" });
    expect(await statusOf(id)).toBe("failed");
    expect(await eventsOf(id)).toEqual(["payment_failed 1 failed"]);
  });

  it("stops resends and fails the charge once nothing can still be in flight", async () => {
    const { id, attemptId } = await openCharge("down");
    const canceled = await merchant.cancel(id, "cancel-it");
    expect(canceled).toMatchObject({ status: 200, body: { id, status: "processing" } });
    expect(await merchant.cancel(id, "cancel-it")).toMatchObject({
      text: canceled.text,
      headers: { "idempotent-replayed": "true" },
    });
    expect(await check(attemptId)).toEqual(unknown);

    pass(inFlightSeconds - 10);
    expect((await merchant.cancel(id)).status).toBe(200); // canceling again does not delay it
    expect(await check(attemptId)).toEqual(unknown);
    pass(10);
    expect(await check(attemptId)).toMatchObject({ state: "settled" });
    expect(await eventsOf(id)).toEqual(["payment_failed 1 failed"]);
    expectError(await merchant.cancel(id), invalid("charge_not_cancelable"));
  });

  it("has no effect if the acquirer charged it, and the charge can be captured, refunded or canceled as usual", async () => {
    const taken = await openCharge("error_after");
    const reserved = await openCharge("error_after", { capture_method: "manual" });
    for (const { id, attemptId } of [taken, reserved]) {
      await merchant.cancel(id);
      expect(await check(attemptId)).toMatchObject({ state: "settled" });
    }
    expect(await statusOf(taken.id)).toBe("succeeded");
    expect(await statusOf(reserved.id)).toBe("authorized");
    expect((await merchant.cancel(reserved.id)).body).toMatchObject({ status: "canceled" });
  });
});
