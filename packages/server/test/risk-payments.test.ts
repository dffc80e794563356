/**
 * Tests the risk rules during a payment: which payments are declined before the acquirer is called, which require
 * authentication, which are refused outright, and what the merchant and the customer see.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { completeChallenge } from "./setup/at-the-bank.ts";
import { ledgerOf } from "./setup/bank-ledger.ts";
import { cardNumbers, payAndAuthenticate } from "./setup/customer.ts";
import { expectError, invalid, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, order, summarize, type Merchant } from "./setup/merchant.ts";
import { settled } from "./setup/payment-state.ts";
import { startTestService } from "./setup/test-service.ts";
import { storedCards } from "./setup/vault-counts.ts";

const rejected: Refusal = { status: 402, type: "card_error", code: "card_declined", decline_code: "risk_rejected" };
const limited: Refusal = { status: 429, type: "rate_limit_error", code: "rate_limited" };

const otherRulesOff =
  "new_customers=off; card_declines=off; ip_velocity=off; account_velocity=off; account_decline_ratio=off; amount_unusual=off; ip_tries=off; account_tries=off";

let merchant: Merchant;
const service = await openForTests(
  startTestService({
    risk: `card_velocity=2/h:challenge,4/h:decline; session_velocity=off; session_tries=3/h; ${otherRulesOff}`,
  }),
);

const outcomes = async () => {
  const tries = service.context.db
    .selectFrom("card_try")
    .select("outcome")
    .where("account_no", "=", merchant.tenant.accountNo);
  return (await tries.orderBy("decision_id").execute()).map(({ outcome }) => outcome);
};

/** Creates a new merchant with this many attempts with one card. */
async function afterTries(number: string, count: number): Promise<void> {
  merchant = await newMerchant(service);
  for (let i = 0; i < count; i++) {
    const checkout = await merchant.checkout();
    const { payment } = (await checkout.pay(number)).body;
    if (String(payment?.["status"]) === "three_ds") await checkout.authenticate(String(payment?.["id"]));
  }
}

describe("a payment within the rules", () => {
  it("proceeds, and its outcome is recorded", async () => {
    await afterTries(cardNumbers.approved, 2);
    const checkout = await merchant.checkout();
    const id = String((await checkout.pay(cardNumbers.declined)).body["payment"]?.["id"]);
    expect(await merchant.read(`decisions/${id}`)).toMatchObject({ risk: { level: "normal", reasons: [] } });
    expect(await outcomes()).toEqual(["approved", "approved", "declined"]);
  });

  it("is recorded as abandoned if its decision expires before the merchant's server makes the charge", async () => {
    merchant = await newMerchant(service);
    const checkout = await merchant.checkout({ confirmation: "server" });
    await checkout.pay(cardNumbers.approved);
    expect(await outcomes()).toEqual(["pending"]);
    service.moveClock(15 * 60_000);
    expect((await merchant.call("POST", `/api/v1/checkout_sessions/${checkout.sessionId}/expire`)).status).toBe(200);
    expect(await outcomes()).toEqual(["abandoned"]);
  });

  it("isn't recorded with a test payment method", async () => {
    merchant = await newMerchant(service);
    for (let i = 0; i < 6; i++) expect((await merchant.charge("pm_card_visa")).status).toBe(200);
    expect(await outcomes()).toEqual([]);
  });
});

describe("a payment that the rules decline", () => {
  it("fails before the acquirer is called, and the merchant sees why but the customer doesn't", async () => {
    await afterTries(cardNumbers.frictionless, 4);
    const checkout = await merchant.checkout();
    const response = await checkout.pay(cardNumbers.frictionless);
    // The cast gives access to all fields by name.
    const { id, ...seen } = response.body["payment"] as unknown as Record<string, unknown>;
    expect(seen).toEqual({
      status: "declined",
      reason: "declined",
      cardholder_info: null,
      challenge_outcome: null,
      retryable: true,
    });
    expect(response.body["session"]).toEqual({ status: "open", attempts_left: 4 });
    expect(response.text).not.toMatch(/risk|velocity/);
    expect(await merchant.read(`decisions/${id}`)).toMatchObject({
      status: "declined",
      decline_code: "risk_rejected",
      risk: { level: "high", reasons: ["card_velocity"] },
      charge_id: expect.stringMatching(/^ch_/),
    });
    const [charge] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(charge).toMatchObject({
      status: "failed",
      failure: { decline_code: "risk_rejected", advice: "try_again_later" },
    });
    expect(summarize(await merchant.events(String(charge?.["id"])))).toEqual(["payment_failed 1 failed"]);
    expect((await ledgerOf(service, String(id))).authorizations).toEqual([]);
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
    expect((await outcomes()).at(-1)).toBe("rejected");
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
  });

  it.each([
    ["that saves a card", { mode: "setup" }],
    ["that saves a card with a total of 0", { amount: 0, save_payment_method: true }],
  ])("counts as one failure, without a charge, in a session %s", async (_name, more) => {
    await afterTries(cardNumbers.frictionless, 4);
    const checkout = await merchant.checkout(more);
    expect((await checkout.pay(cardNumbers.frictionless)).body).toMatchObject({
      payment: { status: "declined" },
      session: { status: "open", attempts_left: 4 },
    });
    expect(await merchant.list(`charges?session_id=${checkout.sessionId}`)).toEqual([]);
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
  });
});

describe("a payment that the rules require authentication for", () => {
  it.each([
    ["continues when the customer passes the challenge", "111111", "succeeded", "authenticated"],
    ["fails when the customer doesn't pass it", "222222", "declined", "failed"],
  ])("%s, even if the issuer would not have challenged it", async (_name, code, status, result) => {
    await afterTries(cardNumbers.frictionless, 2);
    const checkout = await merchant.checkout();
    const { id, payment } = await payAndAuthenticate(checkout, cardNumbers.frictionless);
    expect(payment).toMatchObject({ status: "challenge" });
    await completeChallenge(service, payment, { code });
    expect(await settled(checkout, id)).toMatchObject({ status });
    expect(await merchant.read(`decisions/${id}`)).toMatchObject({
      risk: { level: "elevated", reasons: ["card_velocity"] },
      three_d_secure: { result },
    });
  });

  it("is declined for a card that isn't enrolled in 3-D Secure, because nobody can authenticate it", async () => {
    await afterTries(cardNumbers.approved, 2);
    const checkout = await merchant.checkout();
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    expect(payment).toMatchObject({ status: "declined", reason: "declined" });
    expect(await merchant.read(`decisions/${payment?.["id"]}`)).toMatchObject({
      decline_code: "risk_rejected",
      risk: { level: "elevated", reasons: ["card_velocity"] },
      three_d_secure: { result: "not_supported" },
    });
    expect((await ledgerOf(service, String(payment?.["id"]))).authorizations).toEqual([]);
  });
});

describe("a decision about a saved card", () => {
  it("counts as an attempt, so too many require authentication and more are declined without the acquirer", async () => {
    merchant = await newMerchant(service);
    const checkout = await merchant.checkout({ save_payment_method: true });
    await checkout.pay(cardNumbers.approved);
    const payment_method_id = String((await checkout.session())["payment_method_id"]);
    expect((await merchant.charge(payment_method_id)).body).toMatchObject({ status: "succeeded" });

    const waits = await merchant.decide(payment_method_id);
    expect(waits).toMatchObject({
      status: "requires_action",
      risk: { level: "elevated", reasons: ["card_velocity", "authentication_required"] },
    });
    const charge = (decision_id: unknown) =>
      merchant.call("POST", "/api/v1/charges", { ...order, payment_method_id, decision_id });
    expectError(await charge(waits["id"]), invalid("decision_not_approved", "decision_id"));

    await merchant.decide(payment_method_id);
    const declined = await merchant.decide(payment_method_id);
    expect(declined).toMatchObject({
      status: "declined",
      decline_code: "risk_rejected",
      risk: { level: "high", reasons: ["card_velocity"] },
      charge_id: null,
    });
    expectError(await charge(declined["id"]), rejected);
    expect((await ledgerOf(service, String(declined["id"]))).authorizations).toEqual([]);
    expect(await outcomes()).toEqual(["approved", "approved", "pending", "pending", "rejected"]);
  });

  it("is returned again under its key, without counting another attempt", async () => {
    merchant = await newMerchant(service);
    const checkout = await merchant.checkout({ save_payment_method: true });
    await checkout.pay(cardNumbers.approved);
    const request = { ...order, payment_method_id: (await checkout.session())["payment_method_id"] };
    const send = () => merchant.call("POST", "/api/v1/decisions", request, { "idempotency-key": "decision" });
    const responses = await Promise.all(Array.from({ length: 10 }, send));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses[0]?.body).toMatchObject({ status: "approved" });
    expect(await outcomes()).toEqual(["approved", "pending"]);
  });
});

describe("a session with too many cards", () => {
  it("refuses more for a while, without storing the card or counting an attempt", async () => {
    merchant = await newMerchant(service);
    const checkout = await merchant.checkout({ expires_after_minutes: 120 });
    for (const number of [cardNumbers.declined, cardNumbers.insufficientFunds, cardNumbers.stolen])
      await checkout.pay(number);
    const refused = await checkout.pay(cardNumbers.approved);
    expectError(refused, limited);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(60);
    expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "unpaid", attempts_left: 2 });
    expect(await outcomes()).toHaveLength(3);
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
    service.moveClock(61 * 60_000);
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ error: { code: "card_message_stale" } });
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
  });

  it("doesn't count unreadable messages or those sent during another payment", async () => {
    merchant = await newMerchant(service);
    const checkout = await merchant.checkout();
    for (let i = 0; i < 4; i++) expectError(await checkout.pay("x"), invalid("card_message_invalid", "card"));
    expect(await outcomes()).toEqual([]);
    const started = await checkout.pay(cardNumbers.challenge);
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_payment_in_progress"));
    expect(await outcomes()).toEqual(["pending"]);
    await checkout.cancel(String(started.body["payment"]?.["id"]));
    expect(await outcomes()).toEqual(["abandoned"]);
  });
});

describe("a merchant with too many attempted cards", () => {
  it("is refused a decision only for a while, because the refusal isn't stored under the key", async () => {
    const strict = await startTestService({ role: "api", risk: "account_tries=1/h; new_customers=off" });
    try {
      const own = await newMerchant(strict);
      const checkout = await own.checkout({ save_payment_method: true });
      await checkout.pay(cardNumbers.approved);
      const request = { ...order, payment_method_id: (await checkout.session())["payment_method_id"] };
      expect((await own.call("POST", "/api/v1/decisions", request, { "idempotency-key": "first" })).status).toBe(200);
      const send = () => own.call("POST", "/api/v1/decisions", request, { "idempotency-key": "decision" });
      for (let i = 0; i < 2; i++) {
        const refused = await send();
        expectError(refused, limited);
        expect(refused.headers["idempotent-replayed"]).toBeUndefined();
        expect(Number(refused.headers["retry-after"])).toBeGreaterThan(60);
      }
      strict.moveClock(61 * 60_000);
      const decided = await send();
      expect(decided.body).toMatchObject({ object: "decision", status: "approved" });
      expect(await send()).toMatchObject({
        status: 200,
        text: decided.text,
        headers: { "idempotent-replayed": "true" },
      });
    } finally {
      await strict.close();
    }
  });
});
