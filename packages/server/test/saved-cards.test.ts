/**
 * Tests saved cards: saved by a setup session or with a payment, charged without the customer present, and detached.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createDecision, judgeDecision, decisionRefusal } from "../src/payments/decisions/decisions.ts";
import { runAttempt } from "../src/payments/flow/run-attempt.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge } from "./setup/at-the-bank.ts";
import { addFaults, clearFaults, ledgerOf, readLedger } from "./setup/bank-ledger.ts";
import { cardNumbers, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { newMerchant, order, summarize } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { storedCards } from "./setup/vault-counts.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);

const setup = { mode: "setup", amount: undefined, currency: undefined };
const notReusable = invalid("payment_method_not_reusable", "payment_method_id");

const cardOnly = { cards: 1, codes: 0 };
const storesNothing = { cards: 0, codes: 0 };
const storedFor = (paymentMethodId: unknown) => storedCards(service, { paymentMethodId });

async function save(): Promise<{ checkout: Checkout; id: string }> {
  const checkout = await merchant.checkout(setup);
  expect((await checkout.pay(cardNumbers.approved)).body["payment"]).toMatchObject({ status: "succeeded" });
  return { checkout, id: String((await checkout.session())["payment_method_id"]) };
}

const detach = (id: string, key?: string) =>
  merchant.call(
    "POST",
    `/api/v1/payment_methods/${id}/detach`,
    {},
    key === undefined ? {} : { "idempotency-key": key },
  );

describe("a setup session", () => {
  it("saves a card without a charge and only verifies it with the acquirer", async () => {
    const checkout = await merchant.checkout(setup);
    expect(checkout.opened["session"]).toMatchObject({
      mode: "setup",
      payment_status: "none",
      amount: null,
      currency: null,
    });
    expect(await checkout.session()).toMatchObject({
      mode: "setup",
      amount: null,
      currency: null,
      payment_method_id: null,
    });
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    expect(payment).toEqual({ id: expect.stringMatching(/^dec_/), status: "succeeded" });

    const session = await checkout.session();
    expect(session).toMatchObject({
      status: "complete",
      payment_status: "none",
      attempts_left: 5,
      payment_method_id: expect.stringMatching(/^pm_[0-9a-z]{33}$/),
      decision_id: null,
    });
    expect(await merchant.list(`charges?session_id=${checkout.sessionId}`)).toEqual([]);
    expect(await merchant.read(`decisions/${payment?.["id"]}`)).toMatchObject({
      status: "consumed",
      amount: 0,
      charge_id: null,
    });
    expect(await ledgerOf(service, String(payment?.["id"]))).toMatchObject({
      authorizations: [{ status: "approved", amount: 0, captured: false, amount_captured: 0, requests: 1 }],
    });
    const events = await merchant.events(checkout.sessionId);
    expect(summarize(events)).toEqual(["checkout_session.completed 1 complete"]);
    expect(events[0]?.["data"]?.["object"]).toEqual(session);

    expect(await merchant.read(`payment_methods/${session["payment_method_id"]}`)).toEqual({
      id: session["payment_method_id"],
      object: "payment_method",
      livemode: false,
      created: expect.any(Number),
      brand: "visa",
      last4: "4242",
      exp_month: 12,
      exp_year: 2040,
      network: null,
      billing_details: null,
      session_id: checkout.sessionId,
      reusable: true,
      customer_id: null,
      usage: "off_session",
      consent: null,
      removable_by_customer: true,
      last_used_at: null,
    });
    await sweep(service.context);
    expect(await storedFor(session["payment_method_id"])).toEqual(cardOnly);
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_closed"));
  });

  it("may have an amount and a currency for display, but charges nothing", async () => {
    const checkout = await merchant.checkout({ mode: "setup", amount: 4900, currency: "jpy" });
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    expect((await ledgerOf(service, String(payment?.["id"]))).authorizations).toMatchObject([
      { amount: 0, currency: "jpy" },
    ]);
  });

  it("stores nothing of a declined card and accepts another card", async () => {
    const checkout = await merchant.checkout(setup);
    const declined = await checkout.pay(cardNumbers.insufficientFunds);
    expect(declined.body).toMatchObject({
      payment: { status: "declined", reason: "insufficient_funds", retryable: true },
      session: { status: "open", attempts_left: 4 },
    });
    const decision = await merchant.read(`decisions/${declined.body["payment"]?.["id"]}`);
    expect(await checkout.session()).toMatchObject({ payment_status: "none", payment_method_id: null });
    expect(await storedFor(decision["payment_method_id"])).toEqual(storesNothing);
    const request = { ...order, payment_method_id: decision["payment_method_id"] };
    expectError(await merchant.call("POST", "/api/v1/decisions", request), notReusable);
    expect(await merchant.events(checkout.sessionId)).toEqual([]);
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({
      session: { status: "complete", attempts_left: 4 },
    });
  });

  it("ends with the fifth decline", async () => {
    const checkout = await merchant.checkout(setup);
    for (const left of [4, 3, 2, 1, 0]) {
      expect((await checkout.pay(cardNumbers.declined)).body).toMatchObject({
        payment: { status: "declined", retryable: left > 0 },
        session: { status: left > 0 ? "open" : "expired", attempts_left: left },
      });
    }
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_closed"));
    expect(summarize(await merchant.events(checkout.sessionId))).toEqual(["checkout_session.expired 1 expired"]);
    expect(await checkout.session()).toMatchObject({
      status: "expired",
      payment_status: "none",
      payment_method_id: null,
    });
  });

  it("authenticates the cardholder and sends the proof with the verification", async () => {
    const frictionless = await merchant.checkout(setup);
    const started = (await frictionless.pay(cardNumbers.frictionless)).body["payment"];
    const id = String(started?.["id"]);
    expect((await frictionless.authenticate(id)).body["payment"]).toMatchObject({ status: "succeeded" });
    expect((await ledgerOf(service, id)).authorizations).toMatchObject([{ amount: 0, authenticated: true }]);

    const challenged = await merchant.checkout(setup);
    const { id: second, payment } = await payUpToChallenge(challenged);
    await completeChallenge(service, payment, { code: "111111" });
    const saved = await until("the session to end", async () => {
      const session = await challenged.session();
      return String(session["status"]) === "complete" ? session : null;
    });
    expect(await storedFor(saved["payment_method_id"])).toEqual(cardOnly);
    expect(await merchant.read(`decisions/${second}`)).toMatchObject({ three_d_secure: { result: "authenticated" } });
  });

  it("counts one failure for a failed challenge, without a charge or an acquirer request", async () => {
    const checkout = await merchant.checkout(setup);
    const before = (await readLedger(service)).authorizations.length;
    const { id, payment } = await payUpToChallenge(checkout);
    await completeChallenge(service, payment, { code: "222222" });
    await until("the failure", async () => (Number((await checkout.session())["attempts_left"]) === 4 ? true : null));
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({
      status: "declined",
      reason: "authentication_failed",
    });
    expect((await readLedger(service)).authorizations.length).toBe(before);
    expect(await merchant.list(`charges?session_id=${checkout.sessionId}`)).toEqual([]);
    expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "none" });
  });
});

describe("a payment that saves its card", () => {
  it("creates a payment method that can be used for decisions and charges repeatedly", async () => {
    const checkout = await merchant.checkout({ save_payment_method: true });
    expect(checkout.opened["session"]).toMatchObject({ mode: "payment", save_payment_method: true });
    await checkout.pay(cardNumbers.approved);
    const first = await merchant.chargeOf(checkout);
    const id = String(first["payment_method_id"]);
    expect(await checkout.session()).toMatchObject({
      payment_status: "paid",
      payment_method_id: id,
      decision_id: null,
    });
    expect(await merchant.read(`payment_methods/${id}`)).toMatchObject({ reusable: true });
    for (const amount of [1, 100_000]) {
      const { body } = await merchant.charge(id, { amount: Math.min(amount, 4900) });
      expect(body).toMatchObject({ status: "succeeded", payment_method_id: id, session_id: null });
      await sweep(service.context);
      expect(await storedFor(id)).toEqual(cardOnly);
    }
    const decision = await merchant.decide(id, { currency: "usd", amount: 7 });
    expect(decision).toMatchObject({
      status: "approved",
      amount: 7,
      currency: "usd",
      session_id: null,
      payment_method_id: id,
    });
  });

  it("saves nothing if it is declined", async () => {
    const checkout = await merchant.checkout({ save_payment_method: true });
    await checkout.pay(cardNumbers.declined);
    const [charge] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(await merchant.read(`payment_methods/${charge?.["payment_method_id"]}`)).toMatchObject({ reusable: false });
    expect(await storedFor(charge?.["payment_method_id"])).toEqual(storesNothing);
    expect(await checkout.session()).toMatchObject({ status: "open", payment_method_id: null });
  });

  it("saves the card even if it only reserves the money, whatever happens to the money", async () => {
    const checkout = await merchant.checkout({ save_payment_method: true, capture_method: "manual" });
    await checkout.pay(cardNumbers.approved);
    const charge = await merchant.chargeOf(checkout);
    await merchant.cancel(String(charge["id"]));
    await sweep(service.context);
    expect(await storedFor(charge["payment_method_id"])).toEqual(cardOnly);
    expect((await merchant.charge(String(charge["payment_method_id"]))).body).toMatchObject({ status: "succeeded" });
  });

  it("saves the card once the merchant's server has confirmed and charged it", async () => {
    const checkout = await merchant.checkout({ save_payment_method: true, confirmation: "server" });
    const { payment_method_id, decision_id } = (await checkout.pay(cardNumbers.approved)).body["payment"] ?? {};
    const request = { ...order, payment_method_id };
    expectError(await merchant.call("POST", "/api/v1/decisions", request), notReusable);
    await merchant.call("POST", "/api/v1/charges", { ...request, decision_id });
    expect((await merchant.call("POST", "/api/v1/decisions", request)).status).toBe(200);
    await sweep(service.context);
    expect(await storedFor(payment_method_id)).toEqual(cardOnly);
  });

  it("erases the card if the session doesn't request saving it", async () => {
    const checkout = await merchant.checkout();
    await checkout.pay(cardNumbers.approved);
    const { payment_method_id } = await merchant.chargeOf(checkout);
    expect(await storedFor(payment_method_id)).toEqual(storesNothing);
    expect(await merchant.read(`payment_methods/${payment_method_id}`)).toMatchObject({
      reusable: false,
      last4: "4242",
    });
    expect(await checkout.session()).toMatchObject({ payment_method_id: null });
  });
});

describe("a detached payment method", () => {
  it("can't be used for decisions, and the next sweep erases its card", async () => {
    const { id, checkout } = await save();
    const before = await merchant.read(`payment_methods/${id}`);
    const detached = await detach(id, "detach-1");
    expect(detached.body).toEqual({ ...before, reusable: false, usage: null });
    expect((await detach(id, "detach-1")).text).toBe(detached.text);
    expect((await detach(id)).body).toEqual(detached.body);
    expect(summarize(await merchant.events(id))).toEqual(["payment_method.detached 1 undefined"]);
    expectError(await merchant.call("POST", "/api/v1/decisions", { ...order, payment_method_id: id }), notReusable);
    await sweep(service.context);
    expect(await storedFor(id)).toEqual(storesNothing);
    expect(await merchant.read(`payment_methods/${id}`)).toMatchObject({ reusable: false, last4: "4242" });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_method_id: null });
  });

  it("keeps its card only as long as an earlier decision needs it", async () => {
    const { id } = await save();
    const [used, unused] = [await merchant.decide(id), await merchant.decide(id)];
    await detach(id);
    await sweep(service.context);
    expect(await storedFor(id)).toEqual(cardOnly);
    const charge = await merchant.call("POST", "/api/v1/charges", {
      ...order,
      payment_method_id: id,
      decision_id: used["id"],
    });
    expect(charge.body).toMatchObject({ status: "succeeded" });
    await sweep(service.context);
    expect(await storedFor(id)).toEqual(cardOnly);
    service.moveClock(15 * 60_000);
    await sweep(service.context);
    expect(await storedFor(id)).toEqual(storesNothing);
    const late = { ...order, payment_method_id: id, decision_id: unused["id"] };
    expectError(await merchant.call("POST", "/api/v1/charges", late), invalid("decision_expired", "decision_id"));
    // Refunds don't need a card.
    expect((await merchant.refund(String(charge.body["id"]))).body).toMatchObject({ status: "succeeded" });
  });

  it("stays detached when the merchant's server charges afterwards", async () => {
    const checkout = await merchant.checkout({ save_payment_method: true, confirmation: "server" });
    const { payment_method_id, decision_id } = (await checkout.pay(cardNumbers.approved)).body["payment"] ?? {};
    const id = String(payment_method_id);
    expect((await detach(id)).body).toMatchObject({ reusable: false });
    const request = { ...order, payment_method_id: id };
    const charge = await merchant.call("POST", "/api/v1/charges", { ...request, decision_id });
    expect(charge.body).toMatchObject({ status: "succeeded" });
    expect(await merchant.read(`payment_methods/${id}`)).toMatchObject({ reusable: false });
    expectError(await merchant.call("POST", "/api/v1/decisions", request), notReusable);
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    await sweep(service.context);
    expect(await storedFor(id)).toEqual(storesNothing);
  });

  it("gets no decision if it was detached while the decision was being evaluated", async () => {
    const { context } = service;
    const { id } = await save();
    const request = { ...order, payment_method_id: id };
    const judged = await judgeDecision(context, merchant.tenant, request, null);
    if (judged === undefined) throw new Error("Bug: a request without a key has lost it");
    await detach(id);
    expect(await createDecision(context, context.db, merchant.tenant, request, judged, null)).toBeUndefined();
    await expect(decisionRefusal(context.db, merchant.tenant, request)).rejects.toMatchObject({
      code: notReusable.code,
    });
    await sweep(service.context);
    expect(await storedFor(id)).toEqual(storesNothing);
  });

  it("is refused if it doesn't exist, and test payment methods can't be detached", async () => {
    for (const id of ["pm_none", "pm_card_visa"]) {
      expectError(await detach(id), missing);
      expectError(await merchant.call("GET", `/api/v1/payment_methods/${id}`), missing);
    }
  });
});

// The tests below move the clock by days.
describe("a card erased before the acquirer verified it", () => {
  it("isn't reported as saved: neither the event nor the session names a payment method", async () => {
    const checkout = await merchant.checkout(setup);
    await addFaults(
      service,
      { match: { kind: "authorization" }, fault: "error_after" },
      { match: { kind: "lookup" }, fault: "down" },
    );
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    expect(payment).toMatchObject({ status: "processing" });
    const { payment_method_id } = await merchant.read(`decisions/${payment?.["id"]}`);
    service.moveClock(26 * 60 * 60_000);
    await sweep(service.context);
    expect(await storedFor(payment_method_id)).toEqual(storesNothing);
    await clearFaults(service);
    const attempts = service.context.db
      .selectFrom("attempt")
      .select("id")
      .where("decision_id", "=", String(payment?.["id"]));
    const { id: attemptId } = await attempts.executeTakeFirstOrThrow();
    const session = await until("the session to end", async () => {
      await runAttempt(service.context, attemptId, { wanted: true });
      const found = await checkout.session();
      return String(found["status"]) === "complete" ? found : null;
    });
    expect(session).toMatchObject({ payment_status: "none", payment_method_id: null });
    const events = await merchant.events(checkout.sessionId);
    expect(summarize(events)).toEqual(["checkout_session.completed 1 complete"]);
    expect(events[0]?.["data"]?.["object"]).toEqual(session);
    expect(await merchant.read(`payment_methods/${payment_method_id}`)).toMatchObject({ reusable: false });
    const request = { ...order, payment_method_id };
    expectError(await merchant.call("POST", "/api/v1/decisions", request), notReusable);
  });
});
