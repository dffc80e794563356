/**
 * A real process dies with SIGKILL in the middle of a payment, and another one starts: whatever the bank decided
 * meanwhile is known within five seconds of its start, whether the customer's page still polls or nobody does.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../src/platform/config.ts";
import { answerChallenge } from "./setup/at-the-bank.ts";
import { cardNumbers, openCheckout, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { prepareMortalService, type MortalService } from "./setup/mortal-service.ts";
import { until } from "./setup/until.ts";

/** From the moment the new process serves. */
const resumedWithinMs = 5_000;
const timeout = 120_000;
const authorization = "POST /acquirer/authorizations";

let service: MortalService;
beforeAll(async () => {
  service = await prepareMortalService();
  await service.start();
}, timeout);
afterAll(() => service.close());

/** The page's poll, every two seconds whether the service answers or not. */
function keepPolling(checkout: Checkout, id: string): () => void {
  const timer = setInterval(() => void checkout.payment(id).catch(() => null), 2_000);
  return () => clearInterval(timer);
}

/** From outside: a reader would have the bank asked. */
async function statusOf(decisionId: string): Promise<string | null> {
  const charge = service.db.selectFrom("charge").select("status").where("decision_id", "=", decisionId);
  return (await charge.executeTakeFirst())?.status ?? null;
}

/** Starts the service again, and waits for what it finds out. */
async function expectResumed(
  checkout: Checkout,
  id: string,
  { isPolling = false, role = "all" as Config["role"] },
): Promise<void> {
  const stop = isPolling ? keepPolling(checkout, id) : () => {};
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
 * Killed in a challenge. Then the customer passes it, and the bank tries three times to tell the result before it lets
 * the browser go.
 */
async function missResult(): Promise<{ checkout: Checkout; id: string }> {
  const checkout = await openCheckout(service);
  const { id, payment } = await payUpToChallenge(checkout);
  await service.kill();
  await answerChallenge(service, payment, { code: "111111" });
  return { checkout, id };
}

describe.each([
  ["while the customer's page polls", true],
  ["while nobody asks", false],
])("a service that was killed, %s,", (_name, isPolling) => {
  it("learns how a challenge ended whose result the bank couldn't deliver", { timeout }, async () => {
    const { checkout, id } = await missResult();
    await expectResumed(checkout, id, { isPolling });
  });

  it("learns the outcome of a charge whose answer came when nobody was there", { timeout }, async () => {
    const checkout = await openCheckout(service);
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    const { promise: isDead, resolve: dead } = Promise.withResolvers<void>();
    service.line.watch = async (request) => {
      if (request !== authorization) return "pass";
      asked();
      await isDead;
      return "lose";
    };
    const lost = checkout.pay(cardNumbers.approved).catch(() => null);
    await isAsked;
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
  it("asks at its start for the results that it missed, though no worker has been down", { timeout }, async () => {
    const { checkout, id } = await missResult();
    await expectResumed(checkout, id, { role: "api" });
  });
});
