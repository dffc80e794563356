/** Tests charges and the decisions they need, with test payment methods that need no browser. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { sweep } from "../src/worker.ts";
import { openCheckout } from "./setup/customer.ts";
import { expectError, invalid, missing, type Refusal } from "./setup/expect-error.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";

const service = await openForTests(startTestService());

const order = { amount: 4900, currency: "eur" };

async function decide(payment_method_id: string, more: object = {}): Promise<Json> {
  return (await service.call("POST", "/api/v1/decisions", { ...order, payment_method_id, ...more })).body;
}

function charge(decision: Json, more: object = {}): Promise<ApiResponse> {
  const { payment_method_id, id } = decision;
  return service.call("POST", "/api/v1/charges", { ...order, payment_method_id, decision_id: id, ...more });
}

/** Returns how many authorizations `work` adds to the acquirer's records. */
async function countCalls(work: () => Promise<unknown>): Promise<number> {
  const before = (await service.bankAuthorizations()).length;
  await work();
  return (await service.bankAuthorizations()).length - before;
}

const declined = (decline_code: Refusal["decline_code"] & string): Refusal => ({
  status: 402,
  type: "card_error",
  code: "card_declined",
  decline_code,
});

describe("charges", () => {
  it.each(["pm_card_visa", "pm_card_mastercard"])("%s is charged once with an approved decision", async (card) => {
    const decision = await decide(card);
    expect(decision).toEqual({
      id: expect.stringMatching(/^dec_[0-9a-z]{33}$/),
      object: "decision",
      livemode: false,
      created: expect.any(Number),
      status: "approved",
      ...order,
      payment_method_id: card,
      session_id: null,
      risk: { level: "normal", reasons: [] },
      three_d_secure: null,
      decline_code: null,
      charge_id: null,
      expires_at: Number(decision["created"]) + 900,
    });

    let response: ApiResponse | undefined;
    const metadata = { order: "1001", ünïcode: "日本 🎈" };
    expect(await countCalls(async () => (response = await charge(decision, { metadata })))).toBe(1);
    expect(response?.status).toBe(200);
    expect(response?.body).toEqual({
      id: expect.stringMatching(/^ch_[0-9a-z]{33}$/),
      object: "charge",
      livemode: false,
      created: expect.any(Number),
      status: "succeeded",
      ...order,
      amount_captured: 4900,
      amount_refunded: 0,
      capture_method: "automatic",
      pending_operation: null,
      payment_method_id: card,
      decision_id: decision["id"],
      session_id: null,
      session_version: null,
      failure: null,
      metadata,
    });

    const chargeId = response?.body["id"];
    expect((await service.call("GET", `/api/v1/decisions/${decision["id"]}`)).body).toEqual({
      ...decision,
      status: "consumed",
      charge_id: chargeId,
    });
    expect((await service.call("GET", `/api/v1/charges/${chargeId}`)).body).toEqual(response?.body);
    const listed = await service.call("GET", `/api/v1/charges?decision_id=${decision["id"]}`);
    expect(listed.body).toEqual({ object: "list", data: [response?.body], has_more: false });
    const newest = await service.call("GET", "/api/v1/events?limit=1");
    expect(newest.body["data"]).toMatchObject([{ type: "payment.succeeded", data: { object: response?.body } }]);
    expect((await service.bankAuthorizations()).at(-1)).toMatchObject({
      status: "approved",
      amount: 4900,
      requests: 1,
    });
  });

  it("a charge may be smaller than its decision and still uses it up", async () => {
    const decision = await decide("pm_card_visa");
    const response = await charge(decision, { amount: 1 });
    expect(response.body).toMatchObject({ status: "succeeded", amount: 1, amount_captured: 1 });
    expectError(await charge(decision, { amount: 1 }), invalid("decision_already_consumed", "decision_id"));
  });

  it.each([
    [1, "jpy"],
    [999_999_999_999, "kwd"],
    [4901, "clf"],
  ])("%i %s reaches the acquirer as the exact amount", async (amount, currency) => {
    const decision = await decide("pm_card_visa", { amount, currency });
    expect((await charge(decision, { amount, currency })).body).toMatchObject({
      status: "succeeded",
      amount,
      currency,
    });
    expect((await service.bankAuthorizations()).at(-1)).toMatchObject({ amount, currency });
  });

  it.each([
    ["pm_card_declined_insufficient_funds", "insufficient_funds"],
    ["pm_card_declined_generic", "generic_decline"],
  ] as const)("%s is declined by the acquirer with %s, and the decision is used up", async (card, code) => {
    const decision = await decide(card);
    expect(decision).toMatchObject({ status: "approved", decline_code: null });
    let response: ApiResponse | undefined;
    expect(await countCalls(async () => (response = await charge(decision)))).toBe(1);
    if (response === undefined) throw new Error("Bug: no response");
    expectError(response, declined(code));

    const listed = await service.call("GET", `/api/v1/charges?decision_id=${decision["id"]}`);
    expect(listed.body["data"]).toMatchObject([
      { status: "failed", amount_captured: 0, failure: { code: "card_declined", decline_code: code } },
    ]);
    expectError(await charge(decision), invalid("decision_already_consumed", "decision_id"));
  });

  it("a charge that doesn't match its decision is refused, and the decision stays valid", async () => {
    const decision = await decide("pm_card_visa");
    const other = await decide("pm_card_mastercard");
    const mismatches: [object, string][] = [
      [{ amount: 4901 }, "This decision allows up to €49.00."],
      [{ amount: 999_999_999_999 }, "This decision allows up to €49.00."],
      [{ currency: "usd" }, "This decision is in EUR."],
      [{ payment_method_id: "pm_card_mastercard" }, "This decision is for another payment method."],
      [{ payment_method_id: "pm_card_none" }, "This decision is for another payment method."],
      [{ decision_id: other["id"] }, "This decision is for another payment method."],
    ];
    const unknown = ["dec_none", String(decision["id"]).toUpperCase(), "' or 1=1 --"];
    const calls = await countCalls(async () => {
      for (const [change, reason] of mismatches) {
        const response = await charge(decision, change);
        expectError(response, invalid("decision_mismatch", "decision_id"));
        expect(response.body["error"]?.["message"]).toBe(`${reason} The charge must match the decision.`);
      }
      for (const decision_id of unknown) {
        const response = await charge(decision, { decision_id });
        expectError(response, invalid("resource_missing", "decision_id"));
        expect(response.body["error"]?.["message"]).toBe(`No such decision: "${decision_id}".`);
      }
    });
    expect(calls).toBe(0);
    expect((await charge(decision)).status).toBe(200);
  });

  it("a charge is refused while its decision requires authentication", async () => {
    const decision = await decide("pm_card_three_d_secure_required");
    expect(decision).toMatchObject({ status: "requires_action", risk: { reasons: ["authentication_required"] } });
    const calls = await countCalls(async () =>
      expectError(await charge(decision), invalid("decision_not_approved", "decision_id")),
    );
    expect(calls).toBe(0);
  });

  it("a charge is declined without a request to the acquirer when its decision was declined", async () => {
    const { id } = await decide("pm_card_visa");
    await service.context.db
      .updateTable("decision")
      .set({ status: "declined", decline_code: "fraudulent" })
      .where("id", "=", String(id))
      .execute();
    const decision = (await service.call("GET", `/api/v1/decisions/${id}`)).body;
    expect(decision).toMatchObject({ status: "declined", decline_code: "fraudulent" });
    expect(await countCalls(async () => expectError(await charge(decision), declined("fraudulent")))).toBe(0);
  });

  it("twenty concurrent requests create one charge", async () => {
    const decision = await decide("pm_card_visa");
    let responses: ApiResponse[] = [];
    const calls = await countCalls(async () => {
      responses = await Promise.all(Array.from({ length: 20 }, () => charge(decision)));
    });
    expect(calls).toBe(1);
    const [won, ...more] = responses.filter(({ status }) => status === 200);
    expect(won?.body).toMatchObject({ status: "succeeded" });
    expect(more).toEqual([]);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectError(response, invalid("decision_already_consumed", "decision_id"));
    }
    expect((await service.call("GET", `/api/v1/charges?decision_id=${decision["id"]}`)).body["data"]).toHaveLength(1);
  });
});

describe("decisions", () => {
  it("refuses an unknown payment method", async () => {
    for (const payment_method_id of ["pm_none", "pm_card_VISA", "pm_card_visa ", "card_1", "acct_1"]) {
      expectError(
        await service.call("POST", "/api/v1/decisions", { ...order, payment_method_id }),
        invalid("resource_missing", "payment_method_id"),
      );
    }
  });

  it("refuses an unsaved payment method, including the account's own", async () => {
    const checkout = await openCheckout(service);
    await checkout.pay("4242424242424242");
    const charges = await service.call("GET", `/api/v1/charges?session_id=${checkout.sessionId}`);
    const payment_method_id = charges.body["data"]?.["0"]?.["payment_method_id"];
    expect(payment_method_id).toMatch(/^pm_[0-9a-z]{33}$/);
    const request = { ...order, payment_method_id };
    expectError(
      await service.call("POST", "/api/v1/decisions", request),
      invalid("payment_method_not_reusable", "payment_method_id"),
    );
    const { secretKey } = await service.addTenant(false);
    expectError(
      await service.call("POST", "/api/v1/decisions", request, { authorization: `Bearer ${secretKey}` }),
      invalid("resource_missing", "payment_method_id"),
    );
  });

  it("returns 404 for an unknown decision", async () => {
    expectError(await service.call("GET", "/api/v1/decisions/dec_none"), missing);
    expectError(await service.call("GET", "/api/v1/charges/ch_none"), missing);
  });

  // The tests below move the clock.
  it("expires after exactly fifteen minutes, swept or not", async () => {
    const [first, second, third] = [
      await decide("pm_card_visa"),
      await decide("pm_card_visa"),
      await decide("pm_card_three_d_secure_required"),
    ];
    service.moveClock(15 * 60_000 - 5_000);
    expect((await charge(first)).status).toBe(200);
    service.moveClock(5_000);
    expectError(await charge(second), invalid("decision_expired", "decision_id"));
    expect((await service.call("GET", `/api/v1/decisions/${second["id"]}`)).body).toMatchObject({ status: "expired" });

    await sweep(service.context);
    expectError(await charge(second), invalid("decision_expired", "decision_id"));
    expectError(await charge(third), invalid("decision_expired", "decision_id"));
    expectError(await charge(first), invalid("decision_already_consumed", "decision_id"));
  });
});
