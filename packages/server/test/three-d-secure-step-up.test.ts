/**
 * Tests a soft decline, where the acquirer requires authentication while the customer is present: the customer
 * authenticates once within the same payment, and the merchant sees one payment. In every case there is one charge with
 * one event. `three-d-secure-step-up-recovery.test.ts` tests crashes.
 */
import { describe, expect, it } from "vitest";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import type { RReq } from "@oriel/protocol/threeds";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge, atTheBank, runMethod, type ChallengeInput, threeDSPath } from "./setup/at-the-bank.ts";
import { ledgerOf } from "./setup/bank-ledger.ts";
import { cardNumbers, payAndAuthenticate } from "./setup/customer.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { newMerchant, order } from "./setup/merchant.ts";
import { authenticationsOf, decisionOf, decode, settled } from "./setup/payment-state.ts";
import { both, paid, right, softCard, steppingUp, type SteppedUp } from "./setup/step-up.ts";
import { bankKeys, startTestService, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { storedCards } from "./setup/vault-counts.ts";

const service = await openForTests(startTestService({ pages: true }));
const merchant = await newMerchant(service);

const { payAndBeDeclined, payUpToSecondChallenge, charged, authorizations } = steppingUp(() => ({ service, merchant }));

describe("an acquirer that requires authentication after all", () => {
  it("gets it within the same payment, which stays open without an event and keeps the card", async () => {
    const { checkout, id, payment } = await payAndBeDeclined(true);
    // The 3DS Method has just run for this card and browser, so it isn't repeated.
    expect(payment).toEqual({ id, status: "three_ds", runner: `/3ds/run/${id}`, method: null });
    expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "processing", attempts_left: 5 });
    expect(await charged(checkout)).toEqual({ charges: ["processing"], events: [] });
    expect(await decisionOf(service, id, merchant)).toMatchObject({ status: "consumed", decline_code: null });
    await sweep(service.context);
    // The CVC has been used, so the second authorization doesn't include it.
    expect(await storedCards(service, checkout)).toEqual({ cards: 1, codes: 0 });
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_payment_in_progress"));
    expectError(
      await merchant.call("POST", `/api/v1/checkout_sessions/${checkout.sessionId}/expire`),
      invalid("session_payment_in_progress"),
    );
    const reload = await service.frame("POST", `/frame/sessions/${checkout.sessionId}/open`, {
      client_secret: checkout.clientSecret,
    });
    expect(reload.body["payment"]).toEqual(payment);

    const challenge = (await checkout.authenticate(id)).body["payment"] ?? {};
    expect(challenge).toMatchObject({ status: "challenge", window_size: "03" });
    const [first, second] = await authenticationsOf(service, id);
    expect(decode(challenge["creq"])).toMatchObject({ threeDSServerTransID: second?.id, messageVersion: "2.3.1" });
    expect(await atTheBank(service, second?.id ?? "")).toMatchObject({
      threeDSCompInd: "Y",
      requested: { threeDSRequestorChallengeInd: ["13"], threeDSMethodId: first?.id },
    });

    await completeChallenge(service, challenge, right);
    expect(await settled(checkout, id)).toEqual({ id, status: "succeeded" });
    expect(await charged(checkout)).toEqual(paid);
    expect(await authorizations(id)).toEqual(both);
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(await decisionOf(service, id, merchant)).toMatchObject({ status: "consumed", decline_code: null });
    await until("the card to be erased", async () =>
      (await storedCards(service, checkout)).cards === 0 ? true : null,
    );
  });

  it("runs the 3DS Method if it hasn't run, and in 2.2.0, which can't refer to an earlier run", async () => {
    expect((await payAndBeDeclined()).payment).toMatchObject({ method: { timeout_ms: 5_000 } });

    const checkout = await merchant.checkout();
    const started = (await checkout.pay(softCard)).body["payment"] ?? {};
    const id = String(started["id"]);
    await runMethod(service, started);
    await service.context.db
      .updateTable("authentication")
      .set({ version: "2.2.0" })
      .where("decision_id", "=", id)
      .execute();
    expect((await checkout.authenticate(id)).body["payment"]).toMatchObject({ method: { timeout_ms: 10_000 } });
    expect((await checkout.authenticate(id)).body["payment"]).toMatchObject({ status: "challenge" });
    const [, second] = await authenticationsOf(service, id);
    expect(await atTheBank(service, second?.id ?? "")).toMatchObject({
      messageVersion: "2.2.0",
      threeDSCompInd: "N",
      requested: { threeDSRequestorChallengeInd: "04", threeDSRequestorDecReqInd: "N" },
    });
  });

  it("reserves the money of a charge that is captured later, and the two authorizations can be told apart afterwards", async () => {
    const { checkout, id, payment } = await payUpToSecondChallenge({ capture_method: "manual" });
    await completeChallenge(service, payment, right);
    await settled(checkout, id);
    const charge = await merchant.chargeOf(checkout);
    expect(charge).toMatchObject({ status: "authorized" });
    const captured = await merchant.capture(String(charge["id"]));
    expect(captured.body).toMatchObject({ status: "succeeded", amount_captured: order.amount });
    expect((await merchant.refund(String(charge["id"]))).body).toMatchObject({ status: "succeeded" });
    expect((await ledgerOf(service, id)).refunds).toHaveLength(1);
  });

  it("saves the card of a payment, one from a setup session, and one with a total of 0", async () => {
    const free = { amount: 0, save_payment_method: true };
    for (const more of [
      { save_payment_method: true },
      { mode: "setup", amount: undefined },
      free,
      { ...free, confirmation: "server" },
    ]) {
      const { checkout, id, payment } = await payUpToSecondChallenge(more);
      await completeChallenge(service, payment, right);
      expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
      expect(await authorizations(id)).toEqual(both);
      const { status, payment_method_id } = await checkout.session();
      expect(String(status)).toBe("complete");
      expect(await storedCards(service, { paymentMethodId: payment_method_id })).toEqual({ cards: 1, codes: 0 });
    }
  });

  it("has the last word when it declines for lack of authentication again", async () => {
    const soft = threeDSecureCards.soft_decline_after_challenge[0];
    const { checkout, id } = await payAndBeDeclined(false, {}, soft);
    await completeChallenge(service, (await checkout.authenticate(id)).body["payment"] ?? {}, right);
    expect(await settled(checkout, id)).toMatchObject({
      status: "declined",
      reason: "authentication_failed",
      retryable: true,
    });
    expect(await charged(checkout)).toEqual({
      charges: ["failed authentication_required"],
      events: ["payment_failed 1 failed"],
    });
    expect(await authorizations(id)).toHaveLength(2);
    expect(await authenticationsOf(service, id)).toHaveLength(2);
  });
});

describe("a customer who doesn't pass the step-up", () => {
  const endings: [string, string, string, (paying: SteppedUp) => Promise<unknown>][] = [
    [
      "gives up before the challenge",
      "authentication_canceled",
      "authentication_canceled",
      ({ checkout, id }) => checkout.cancel(id),
    ],
    [
      "gives up in the iframe",
      "authentication_canceled",
      "authentication_canceled",
      async (paying) => {
        await challenge(paying);
        await paying.checkout.cancel(paying.id);
      },
    ],
    [
      "cancels on the bank's page",
      "authentication_canceled",
      "authentication_canceled",
      (paying) => challenge(paying, "cancel"),
    ],
    ["fails", "authentication_failed", "authentication_failed", (paying) => challenge(paying, { code: "222222" })],
    [
      "has an issuer that can't authenticate",
      "authentication_required",
      "authentication_failed",
      (paying) => sendUnavailable(paying),
    ],
    [
      "forges the end of the challenge",
      "authentication_unavailable",
      "try_again",
      async (paying) => {
        await forge(paying);
        service.moveClock(10_001);
      },
    ],
    [
      "vanishes",
      "authentication_timed_out",
      "authentication_timed_out",
      async () => {
        service.moveClock(10 * 60_000 + 30_001);
        await Promise.all([sweep(service.context), sweep(service.context)]);
      },
    ],
  ];

  it.each(endings)(
    "%s, which fails with %s: one charge, one event, and another attempt is possible",
    async (_name, code, reason, end) => {
      for (const more of [{}, { mode: "setup", amount: undefined }]) {
        const paying = await payAndBeDeclined(true, more);
        const { checkout, id } = paying;
        await end(paying);
        expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason, retryable: true });
        expect(await authorizations(id)).toEqual(["declined, authenticated 1"]);
        expect(await checkout.session()).toMatchObject({ status: "open", attempts_left: 4 });
        expect(await decisionOf(service, id, merchant)).toMatchObject({ status: "consumed", decline_code: code });
        const isPayment = !("mode" in more);
        expect(await charged(checkout)).toEqual({
          charges: isPayment ? [`failed ${code}`] : [],
          events: isPayment ? ["payment_failed 1 failed"] : [],
        });
        await until("the card to be erased", async () =>
          (await storedCards(service, checkout)).cards === 0 ? true : null,
        );
        expect((await checkout.pay(cardNumbers.approved)).body["payment"]).toMatchObject({ status: "succeeded" });
      }
    },
  );

  it("ends the session with the fifth failure", async () => {
    const checkout = await merchant.checkout();
    for (let left = 4; left > 0; left--) await checkout.pay(cardNumbers.declined);
    const { id } = await payAndAuthenticate(checkout, softCard);
    await checkout.cancel(id);
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({ status: "declined", retryable: false });
    expect(await checkout.session()).toMatchObject({ status: "expired", attempts_left: 0 });
  });

  async function challenge({ checkout, id }: SteppedUp, input?: ChallengeInput): Promise<Json> {
    const payment = (await checkout.authenticate(id)).body["payment"] ?? {};
    if (input !== undefined) await completeChallenge(service, payment, input);
    return payment;
  }

  async function forge(paying: SteppedUp): Promise<void> {
    const { threeDSServerTransID, acsTransID } = decode((await challenge(paying))["creq"]);
    const cres = { messageType: "CRes", threeDSServerTransID, acsTransID, transStatus: "Y" };
    const body = new URLSearchParams({ cres: Buffer.from(JSON.stringify(cres)).toString("base64url") });
    await fetch(service.config.checkoutOrigin + threeDSPath(merchant, "challenge"), { method: "POST", body });
  }

  async function sendUnavailable(paying: SteppedUp): Promise<void> {
    await challenge(paying);
    const [, second] = await authenticationsOf(service, paying.id);
    const isPayment = Number((await decisionOf(service, paying.id, merchant))["amount"]) > 0;
    const rreq: RReq = {
      messageType: "RReq",
      messageVersion: "2.3.1",
      threeDSServerTransID: second?.id ?? "",
      acsTransID: second?.acs_trans_id ?? "",
      dsTransID: second?.ds_trans_id ?? "",
      messageCategory: isPayment ? "01" : "02",
      transStatus: "U",
      transStatusReason: "22",
      interactionCounter: "01",
    };
    const response = await service.call("POST", threeDSPath(merchant, "results"), rreq, {
      authorization: `Bearer ${bankKeys.resultsKey}`,
    });
    expect(response.body).toMatchObject({ messageType: "RRes" });
  }
});

describe("a decline that doesn't lead to a challenge", () => {
  it("is returned to the merchant's server when it charges, and again under the same key", async () => {
    const checkout = await merchant.checkout({ confirmation: "server" });
    const { id, payment } = await payAndAuthenticate(checkout, softCard);
    const { payment_method_id } = payment;
    const send = () =>
      merchant.call(
        "POST",
        "/api/v1/charges",
        { ...order, payment_method_id, decision_id: id },
        { "idempotency-key": `charge-${id}` },
      );
    const responses = [await send(), await send()];
    for (const response of responses) {
      expectError(response, {
        status: 402,
        type: "card_error",
        code: "card_declined",
        decline_code: "authentication_required",
      });
    }
    expect(await authenticationsOf(service, id)).toHaveLength(1);
    expect(await charged(checkout)).toMatchObject({ charges: ["failed authentication_required"] });
  });

  it("happens for a saved card without the customer present", async () => {
    const { checkout, id, payment } = await payUpToSecondChallenge({ mode: "setup", amount: undefined });
    await completeChallenge(service, payment, right);
    await settled(checkout, id);
    const { payment_method_id } = await checkout.session();
    const charge = await merchant.charge(String(payment_method_id));
    expect(charge.body).toMatchObject({ error: { decline_code: "authentication_required" } });
  });

  it("happens after the customer passed a challenge, since another one would not satisfy the issuer", async () => {
    const checkout = await merchant.checkout();
    const soft = threeDSecureCards.soft_decline_after_challenge[0];
    const id = String((await checkout.pay(soft)).body["payment"]?.["id"]);
    // A risky payment is challenged at once.
    await service.context.db.updateTable("decision").set({ risk_level: "elevated" }).where("id", "=", id).execute();
    await completeChallenge(service, (await checkout.authenticate(id)).body["payment"] ?? {}, right);
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "authentication_failed" });
    expect(await charged(checkout)).toMatchObject({ charges: ["failed authentication_required"] });
    expect(await authorizations(id)).toEqual(["declined, authenticated 1"]);
  });

  it("happens for a card that isn't enrolled in 3-D Secure", async () => {
    const checkout = await merchant.checkout();
    expect((await checkout.pay("4000000000001083")).body["payment"]).toMatchObject({ status: "declined" });
    expect(await charged(checkout)).toMatchObject({ charges: ["failed authentication_required"] });
  });
});
