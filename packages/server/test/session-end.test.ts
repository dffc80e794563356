/**
 * Tests how a merchant cancels a checkout session in each state, and which line items and mode-specific fields a
 * session may contain.
 */
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { readerPauseSeconds } from "../src/payments/attempts/deadlines.ts";
import { sweep } from "../src/worker.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { cardNumbers, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { expectError, invalid, missing, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, order, summarize } from "./setup/merchant.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const path = "/api/v1/checkout_sessions";
const inProgress = invalid("session_payment_in_progress");
const closed = invalid("session_closed");
type How = "expire" | "cancel";

const end = (sessionId: string, how: How, key?: string): Promise<ApiResponse> =>
  merchant.call("POST", `${path}/${sessionId}/${how}`, {}, key === undefined ? {} : { "idempotency-key": key });

describe.each([
  ["expire", "expired", ["checkout_session.expired 1 expired"]],
  ["cancel", "canceled", []],
] as const)("a request to %s a session", (how, status, events) => {
  const other = how === "expire" ? "cancel" : "expire";

  /** Expects a session that has ended, can't be used anymore, and sent the right event. */
  async function expectEnded(checkout: Checkout, response: ApiResponse): Promise<void> {
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ id: checkout.sessionId, object: "checkout_session", status });
    expect(await checkout.session()).toEqual(response.body);
    expect(response.text).not.toContain("embed_url");
    expectError(await end(checkout.sessionId, how), closed);
    expectError(await end(checkout.sessionId, other), closed);
    expectError(await checkout.pay(await checkout.encrypt(cardNumbers.approved)), closed);
    const ended = (await merchant.events(checkout.sessionId)).filter(
      ({ data }) => String(data?.["object"]?.["object"]) === "checkout_session",
    );
    expect(summarize(ended)).toEqual(events);
  }

  it("ends an unpaid session, once", async () => {
    const checkout = await merchant.checkout();
    const before = await checkout.session();
    const response = await end(checkout.sessionId, how, `${how}-1`);
    expect(response.body).toEqual({ ...before, status });
    expect((await end(checkout.sessionId, how, `${how}-1`)).text).toBe(response.text);
    await expectEnded(checkout, response);
    const page = await service.frame("POST", `/frame/sessions/${checkout.sessionId}/open`, {
      client_secret: checkout.clientSecret,
    });
    expect(page.body["session"]).toMatchObject({ status });
  });

  it("ends a session with one failed attempt and none in progress", async () => {
    const checkout = await merchant.checkout();
    await checkout.pay(cardNumbers.declined);
    await expectEnded(checkout, await end(checkout.sessionId, how));
  });

  it("ends a session that saves a card", async () => {
    const checkout = await merchant.checkout({ mode: "setup" });
    const response = await end(checkout.sessionId, how);
    expect(response.body).toMatchObject({ payment_status: "none" });
    await expectEnded(checkout, response);
  });

  it("is refused during a challenge, and the payment continues", async () => {
    const checkout = await merchant.checkout();
    const { id } = await payUpToChallenge(checkout);
    expectError(await end(checkout.sessionId, how), inProgress);
    expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "unpaid" });
    await checkout.cancel(id);
    await expectEnded(checkout, await end(checkout.sessionId, how));
  });

  it("is refused during a payment of unknown outcome, because money may have moved", async () => {
    const checkout = await merchant.checkout();
    await addFaults(service, { match: { kind: "authorization" }, fault: "down", times: 1 });
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "processing" } });
    expectError(await end(checkout.sessionId, how), inProgress);
    service.moveClock(readerPauseSeconds * 1000);
    await until("the payment to end", async () =>
      String((await checkout.session())["status"]) === "complete" ? true : null,
    );
    expectError(await end(checkout.sessionId, how), closed);
  });

  it("is refused while the session waits for the merchant's charge, until the decision expires", async () => {
    const checkout = await merchant.checkout({ confirmation: "server" });
    await checkout.pay(cardNumbers.approved);
    expectError(await end(checkout.sessionId, how), inProgress);
    service.moveClock(15 * 60_000);
    await expectEnded(checkout, await end(checkout.sessionId, how)); // whether or not the sweep has run
  });

  it("is refused for a complete session, whether it was paid, reserved money or saved a card", async () => {
    for (const more of [{}, { capture_method: "manual" }, { mode: "setup" }]) {
      const checkout = await merchant.checkout(more);
      await checkout.pay(cardNumbers.approved);
      const before = await checkout.session();
      const { capture_method: _, ...rest } = before as Record<string, unknown>;
      expect(rest).toMatchObject({ status: "complete" });
      expectError(await end(checkout.sessionId, how), closed);
      expect(await checkout.session()).toEqual(before);
    }
  });

  it("is refused for a session that has used up its five attempts", async () => {
    const checkout = await merchant.checkout();
    for (let i = 0; i < 5; i++) await checkout.pay(cardNumbers.declined);
    expectError(await end(checkout.sessionId, how), closed);
  });

  it("is refused for a session that expired and was swept", async () => {
    const checkout = await merchant.checkout({ expires_after_minutes: 5 });
    service.moveClock(5 * 60_000);
    await sweep(service.context);
    expectError(await end(checkout.sessionId, how), closed);
    expect(summarize(await merchant.events(checkout.sessionId))).toEqual(["checkout_session.expired 1 expired"]);
  });

  it("is refused for an unknown session", async () => {
    expectError(await end("cs_none", how), missing);
  });
});

describe("canceling and paying a session at the same moment", () => {
  it("either pays the session or cancels it without a charge, but never both", async () => {
    for (let i = 0; i < 5; i++) {
      const checkout = await merchant.checkout();
      const message = await checkout.encrypt(cardNumbers.approved);
      const before = (await service.bankAuthorizations()).length;
      const [paid, ...ended] = await Promise.all([
        checkout.pay(message),
        end(checkout.sessionId, "cancel"),
        end(checkout.sessionId, "expire"),
      ]);
      const won = ended.filter(({ status }) => status === 200).length;
      expect(won + (paid.status === 200 ? 1 : 0)).toBe(1);
      expect((await service.bankAuthorizations()).length - before).toBe(paid.status === 200 ? 1 : 0);
      const { status } = await checkout.session();
      expect(paid.status === 200 ? ["complete"] : ["canceled", "expired"]).toContain(status);
    }
  });
});

describe("line items", () => {
  const cups = { name: "Cup 🎈", amount: 1200, quantity: 3 };
  const delivery = { name: "Delivery", amount: 1300, quantity: 1 };

  it("are returned as they were sent when they add up to the amount", async () => {
    const line_items = [cups, delivery, { name: "Thanks", amount: 0, quantity: 1_000_000 }];
    const { status, body } = await merchant.call("POST", path, { ...order, line_items });
    expect(status).toBe(200);
    expect(body["session"]).toMatchObject({ line_items });
    expect(await merchant.read(`checkout_sessions/${body["session"]?.["id"]}`)).toMatchObject({ line_items });
  });

  const wrongSum = invalid("parameter_invalid", "line_items");
  it.each<[string, unknown, Refusal]>([
    ["make less", [cups], wrongSum],
    ["make more", [cups, delivery, delivery], wrongSum],
    ["total more than a safe integer", [{ name: "x", amount: 999_999_999_999, quantity: 1_000_000 }], wrongSum],
    ["are none", [], invalid("parameter_invalid", "line_items")],
    [
      "number more than a hundred",
      Array.from({ length: 101 }, () => ({ name: "x", amount: 49, quantity: 1 })),
      invalid("parameter_invalid", "line_items"),
    ],
    ["are not an array", cups, invalid("parameter_invalid", "line_items")],
    ["have no name", [{ ...delivery, name: "" }], invalid("parameter_invalid", "line_items[0].name")],
    [
      "have a negative amount",
      [cups, { ...delivery, amount: -1 }],
      invalid("parameter_invalid", "line_items[1].amount"),
    ],
    [
      "have an amount with a fraction of a cent",
      [cups, { ...delivery, amount: 0.5 }],
      invalid("parameter_invalid", "line_items[1].amount"),
    ],
    ["have a zero quantity", [{ ...delivery, quantity: 0 }], invalid("parameter_invalid", "line_items[0].quantity")],
    [
      "have a fractional quantity",
      [{ ...delivery, quantity: 1.5 }],
      invalid("parameter_invalid", "line_items[0].quantity"),
    ],
    ["lack a quantity", [{ name: "x", amount: 4900 }], invalid("parameter_missing", "line_items[0].quantity")],
    ["have an extra field", [{ ...delivery, sku: "7" }], invalid("parameter_unknown", "line_items[0].sku")],
  ])("are refused when they %s", async (_name, line_items, refusal) => {
    expectError(await merchant.call("POST", path, { ...order, line_items }), refusal);
  });
});

describe("a session in setup mode", () => {
  it.each<[string, object, Refusal]>([
    ["capture_method", { capture_method: "manual" }, invalid("parameter_invalid", "capture_method")],
    [
      "capture_method, even with the default value",
      { capture_method: "automatic" },
      invalid("parameter_invalid", "capture_method"),
    ],
    ["line_items", { line_items: [{ name: "x", amount: 1, quantity: 1 }] }, invalid("parameter_invalid", "line_items")],
    ["save_payment_method", { save_payment_method: true }, invalid("parameter_invalid", "save_payment_method")],
    ["confirmation by the server", { confirmation: "server" }, invalid("parameter_invalid", "confirmation")],
    ["an invalid currency", { currency: "zzz" }, invalid("currency_unknown", "currency")],
    ["an invalid amount", { amount: -1 }, invalid("amount_invalid", "amount")],
  ])("can't have %s", async (_name, more, refusal) => {
    expectError(await merchant.call("POST", path, { mode: "setup", ...more }), refusal);
  });

  it("has no other required fields", async () => {
    expect((await merchant.call("POST", path, { mode: "setup" })).status).toBe(200);
    expect((await merchant.call("POST", path, { mode: "setup", confirmation: "automatic" })).status).toBe(200);
    expectError(await merchant.call("POST", path, { mode: "payment" }), invalid("parameter_missing", "amount"));
    expectError(
      await merchant.call("POST", path, { mode: "payment", amount: 1 }),
      invalid("parameter_missing", "currency"),
    );
    expectError(await merchant.call("POST", path, { mode: "subscription" }), invalid("parameter_invalid", "mode"));
  });
});
