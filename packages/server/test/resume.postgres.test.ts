/**
 * Kills a real process with SIGKILL in the middle of a payment and starts another one. Whatever was decided in the
 * meantime is known within five seconds of its start, whether the customer's page still polls or not.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import type { Config } from "../src/platform/config.ts";
import { completeChallenge } from "./setup/at-the-bank.ts";
import { prepareCrashingService } from "./setup/crashing-service.ts";
import { cardNumbers, openCheckout, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { until } from "./setup/until.ts";

/** Counted from when the new process accepts requests. */
const resumedWithinMs = 5_000;
const timeout = 120_000;
const authorization = "POST /acquirer/authorizations";

const service = await openForTests(prepareCrashingService());
await service.start();

/** Polls as the page does, every two seconds, whether or not the service responds. */
function pollRepeatedly(checkout: Checkout, id: string): () => void {
  const timer = setInterval(() => void checkout.payment(id).catch(() => null), 2_000);
  return () => clearInterval(timer);
}

/** Reads the database directly, because reading through the service would trigger a check. */
async function statusOf(decisionId: string): Promise<string | null> {
  const charge = service.db.selectFrom("charge").select("status").where("decision_id", "=", decisionId);
  return (await charge.executeTakeFirst())?.status ?? null;
}

/** Restarts the service and expects it to learn the outcome in time. */
async function expectResumed(
  checkout: Checkout,
  id: string,
  { isPolling = false, role = "all" as Config["role"] },
): Promise<void> {
  const stop = isPolling ? pollRepeatedly(checkout, id) : () => {};
  try {
    await service.start(role);
    const paid = async () => ((await statusOf(id)) === "succeeded" ? true : null);
    expect(await until("the payment to succeed", paid, resumedWithinMs)).toBe(true);
  } catch (error) {
    throw new Error(`The service said:\n${service.said()}`, { cause: error });
  } finally {
    stop();
  }
  expect((await checkout.payment(id)).body).toMatchObject({
    payment: { status: "succeeded" },
    session: { status: "complete" },
  });
}

/**
 * Kills the service during a challenge. Then the customer passes it, and the ACS tries three times to send the result
 * before it releases the browser.
 */
async function missResult(): Promise<{ checkout: Checkout; id: string }> {
  const checkout = await openCheckout(service);
  const { id, payment } = await payUpToChallenge(checkout);
  await service.kill();
  await completeChallenge(service, payment, { code: "111111" });
  return { checkout, id };
}

/** Loses the acquirer's response to an authorization. `dead` has to be called once the service has been killed. */
function loseAuthorization() {
  const { promise: isCalled, resolve: called } = Promise.withResolvers<void>();
  const { promise: isDead, resolve: dead } = Promise.withResolvers<void>();
  service.line.watch = async (request) => {
    if (request !== authorization) return "pass";
    called();
    await isDead;
    return "lose";
  };
  return { isCalled, dead };
}

describe.each([
  ["while the customer's page polls", true],
  ["while nothing polls", false],
])("a service that was killed %s", (_name, isPolling) => {
  it("learns the result of a challenge that the ACS couldn't deliver", { timeout }, async () => {
    const { checkout, id } = await missResult();
    await expectResumed(checkout, id, { isPolling });
  });

  it("learns the outcome of a charge whose response arrived while it was down", { timeout }, async () => {
    const checkout = await openCheckout(service);
    const { isCalled, dead } = loseAuthorization();
    const lost = checkout.pay(cardNumbers.approved).catch(() => null);
    await isCalled;
    await service.kill();
    dead();
    expect(await lost).toBeNull();
    service.line.watch = () => "pass";
    const decision = service.db.selectFrom("decision").select("id").where("session_id", "=", checkout.sessionId);
    const { id } = await decision.executeTakeFirstOrThrow();
    await expectResumed(checkout, id, { isPolling });
  });
});

describe("a process with the role api", () => {
  it("requests the results that it missed when it starts, even if no worker was down", { timeout }, async () => {
    const { checkout, id } = await missResult();
    await expectResumed(checkout, id, { role: "api" });
  });
});

describe("a charge whose process was killed after it had called the acquirer", () => {
  it("is returned to a repeated request, and there is one event", { timeout }, async () => {
    const card = { amount: 4900, currency: "eur", payment_method_id: "pm_card_visa" };
    const decision = await service.call("POST", "/api/v1/decisions", card);
    const body = { ...card, decision_id: String(decision.body["id"]) };
    const key = { "idempotency-key": "killed" };
    const charge = () => service.call("POST", "/api/v1/charges", body, key);

    const { isCalled, dead } = loseAuthorization();
    const lost = charge().catch(() => null);
    await isCalled;
    await service.kill();
    dead();
    expect(await lost).toBeNull();
    service.line.watch = () => "pass";
    await service.start("all");

    const paid = async () => ((await statusOf(body.decision_id)) === "succeeded" ? true : null);
    await until("the charge to succeed", paid, resumedWithinMs);
    const [first, second] = [await charge(), await charge()];
    expect(first).toMatchObject({ status: 200, body: { decision_id: body.decision_id, status: "succeeded" } });
    expect(second.text).toBe(first.text);
    const events = service.db.selectFrom("event").select("type").where("object_id", "=", String(first.body["id"]));
    expect(await events.execute()).toEqual([{ type: "payment.succeeded" }]);
  });
});
