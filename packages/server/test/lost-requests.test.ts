/**
 * Tests payment requests whose response never reached the page: what the service reports about them is final, wherever
 * the request is at that moment.
 */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { cardNumbers, openCheckout, type Checkout } from "./setup/customer.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { startWithKillableBank } from "./setup/killable-bank.ts";
import type { ApiResponse } from "./setup/test-service.ts";

const service = await openForTests(startWithKillableBank());
afterEach(() => {
  service.line.watch = () => "pass";
});

/** Expects a refusal that also contains the data that a new request needs. */
function expectStale(response: ApiResponse): void {
  const { status, body } = response;
  expect(status).toBe(400);
  expect(body).toMatchObject({
    error: { code: "card_message_stale", param: "payment_round" },
    encryption: { nonce: expect.any(String) as string },
  });
}

async function countCards(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from vault.card`.execute(service.context.db);
  return rows[0]?.n ?? -1;
}

const roundOf = (response: ApiResponse) => response.body["session"]?.["payment_round"];
const newRequest = (payment_round = 0) => ({ request_id: randomUUID(), payment_round });

describe("a payment request that hasn't arrived", () => {
  it("is refused when it arrives later, and the next one pays", async () => {
    const checkout = await openCheckout(service);
    const [lost, card] = [newRequest(), await checkout.encrypt(cardNumbers.approved)];
    const response = await checkout.reopen(lost.request_id);
    expect(response.body).toMatchObject({
      received: false,
      payment: null,
      session: { status: "open", payment_round: 1 },
    });
    const before = await countCards();
    expectStale(await checkout.pay(card, undefined, lost));
    expect(await checkout.session()).toMatchObject({ payment_status: "unpaid", attempts_left: 5 });
    expect(await countCards()).toBe(before);
    expect((await checkout.pay(cardNumbers.approved, undefined, newRequest(1))).body).toMatchObject({
      payment: { status: "succeeded" },
    });
  });

  it("is refused even if its card was already received, and the card is deleted", async () => {
    service.moveClock(61 * 60_000); // the card ranges must be fetched again, which delays the request here
    const checkout = await openCheckout(service);
    const lost = newRequest();
    const before = await countCards();
    const requests: { cards: number; body: unknown }[] = [];
    service.line.watch = async (request): Promise<"pass"> => {
      if (request === "POST /directory-server" && requests.length === 0) {
        requests.push({ cards: await countCards(), body: (await checkout.reopen(lost.request_id)).body });
      }
      return "pass";
    };
    const card = await checkout.encrypt(cardNumbers.approved);
    expectStale(await checkout.pay(card, undefined, lost));
    expect(requests).toMatchObject([{ cards: before + 1, body: { received: false, payment: null } }]);
    expect(await countCards()).toBe(before);
    expect((await checkout.reopen()).body).toMatchObject({
      received: null,
      payment: null,
      session: { attempts_left: 5 },
    });
  });

  it("makes another page's request stale only once", async () => {
    const checkout = await openCheckout(service);
    await checkout.reopen(randomUUID());
    expectStale(await checkout.pay(cardNumbers.approved, undefined, newRequest(0)));
    const round = Number(roundOf(await checkout.reopen()));
    expect((await checkout.pay(cardNumbers.approved, undefined, newRequest(round))).body).toMatchObject({
      payment: { status: "succeeded" },
    });
  });
});

describe("a payment request that arrived", () => {
  it.each([
    ["approved", { status: "succeeded" }, { status: "complete", payment_round: 0 }],
    ["insufficientFunds", { status: "declined", reason: "insufficient_funds" }, { status: "open", attempts_left: 4 }],
    ["challenge", { status: "three_ds" }, { status: "open", attempts_left: 5 }],
  ] as const)("is reported with its result: %s", async (card, payment, session) => {
    const checkout = await openCheckout(service);
    const lost = newRequest();
    await checkout.pay(cardNumbers[card], undefined, lost);
    const { body } = await checkout.reopen(lost.request_id);
    expect(body).toMatchObject({ received: true, payment, session });
    expect(roundOf(await checkout.reopen())).toBe(0);
  });

  it("is reported with its own payment, even while another one is running", async () => {
    const checkout = await openCheckout(service);
    const [first, second] = [newRequest(), newRequest()];
    await checkout.pay(cardNumbers.declined, undefined, first);
    await checkout.pay(cardNumbers.challenge, undefined, second);
    expect((await checkout.reopen(first.request_id)).body).toMatchObject({
      received: true,
      payment: { status: "declined" },
    });
    expect((await checkout.reopen(second.request_id)).body).toMatchObject({
      received: true,
      payment: { status: "three_ds" },
    });
  });

  it("isn't reported to another session", async () => {
    const [mine, other] = [await openCheckout(service), await openCheckout(service)];
    const request = newRequest();
    await mine.pay(cardNumbers.approved, undefined, request);
    expect((await other.reopen(request.request_id)).body).toMatchObject({ received: false, payment: null });
  });
});

it("a payment request either starts its payment or is abandoned, but never both", async () => {
  const ends = await Promise.all(
    Array.from({ length: 24 }, async (_, at) => {
      const checkout = await openCheckout(service);
      const request = newRequest();
      const card = await checkout.encrypt(cardNumbers.approved);
      const paying = checkout.pay(card, undefined, request);
      await new Promise((resolve) => setTimeout(resolve, at * 3));
      const [paid, reopened] = await Promise.all([paying, checkout.reopen(request.request_id)]);
      const isPaid = (await checkout.session())["payment_status"] === ("paid" as unknown);
      return { received: reopened.body["received"], status: paid.status, isPaid };
    }),
  );
  const consistent = [
    { received: true, status: 200, isPaid: true },
    { received: false, status: 400, isPaid: false },
  ];
  expect(ends).toHaveLength(24);
  expect(ends.filter((end) => !consistent.some((one) => JSON.stringify(one) === JSON.stringify(end)))).toEqual([]);
});

describe("the request ID that a page sends", () => {
  it("is optional, so a page loaded before this feature can still pay", async () => {
    const checkout = await openCheckout(service);
    await checkout.reopen(randomUUID());
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
  });

  it.each(["", "4242424242424242", "not-a-uuid", `${randomUUID()}0`])("is refused when it is %j", async (id) => {
    const checkout: Checkout = await openCheckout(service);
    expectError(await checkout.reopen(id), invalid("parameter_invalid", "lost_request"));
    const card = await checkout.encrypt(cardNumbers.approved);
    expectError(await checkout.pay(card, undefined, { request_id: id }), invalid("parameter_invalid", "request_id"));
  });
});
