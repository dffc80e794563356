/** Tests the operator's policy for issuers that can't authenticate, and for issuers that authenticate elsewhere. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import type { CardDirectoryServer } from "@oriel/vault";
import { claimSeconds } from "../src/payments/attempts/deadlines.ts";
import { authenticate } from "../src/payments/flow/threeds/authentications.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge, atTheBank, decideInApp } from "./setup/at-the-bank.ts";
import { cardNumbers, openCheckout, payAndAuthenticate, type Checkout } from "./setup/customer.ts";
import { directoryServerOf, withDirectoryServer } from "./setup/directory-server-of.ts";
import { authenticationsOf, chargesOf, decisionOf, everything, settled } from "./setup/payment-state.ts";
import { startTestService, type Json, type TestService } from "./setup/test-service.ts";

type Ares = Exclude<Awaited<ReturnType<CardDirectoryServer["authenticate"]>>, string>;

describe("the strict policy", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ threeDSecure: "strict" });
  });
  afterAll(() => service.close());

  it.each([
    ["can't authenticate", threeDSecureCards.unavailable[0]],
    ["is slow", threeDSecureCards.directory_server_timeout[0]],
    ["is down", threeDSecureCards.lookup_error[0]],
    ["can't complete a challenge", threeDSecureCards.challenge_unavailable[0]],
  ])("doesn't charge a card whose issuer %s", async (_name, card) => {
    const before = (await service.bankAuthorizations()).length;
    const checkout = await openCheckout(service);
    const { id, payment } = await payAndAuthenticate(checkout, card);
    if (String(payment["status"]) === "challenge") await completeChallenge(service, payment, { code: "111111" });
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "try_again", retryable: true });
    expect(await decisionOf(service, id)).toMatchObject({
      decline_code: "authentication_unavailable",
      three_d_secure: { result: "unavailable", liability_shift: false },
    });
    expect((await service.bankAuthorizations()).length).toBe(before);
  });

  it("charges a card that isn't enrolled, and one that was authenticated", async () => {
    const checkout = await openCheckout(service);
    expect((await checkout.pay(cardNumbers.approved)).body["payment"]).toMatchObject({ status: "succeeded" });
    const other = await openCheckout(service);
    const { payment } = await payAndAuthenticate(other, cardNumbers.frictionless);
    expect(payment).toMatchObject({ status: "succeeded" });
  });

  it("charges no card until the bank has sent its card ranges", async () => {
    const silent = await startTestService({ threeDSecure: "strict", bankUrl: "http://127.0.0.1:9" });
    try {
      const checkout = await openCheckout(silent);
      const payment = (await checkout.pay(cardNumbers.approved)).body["payment"];
      expect(payment).toMatchObject({ status: "declined", reason: "try_again" });
      expect(await decisionOf(silent, String(payment?.["id"]))).toMatchObject({
        decline_code: "authentication_unavailable",
      });
    } finally {
      await silent.close();
    }
  });
});

describe("a payment with an unusual issuer response", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ bankWaits: { decoupledAfterMs: 60 * 60_000 } });
  });
  afterAll(() => service.close());

  async function payDecoupled(): Promise<{ checkout: Checkout; id: string; payment: Json; acsTransID: string }> {
    const checkout = await openCheckout(service);
    const { id, payment } = await payAndAuthenticate(checkout, threeDSecureCards.decoupled[0]);
    const [authentication] = await authenticationsOf(service, id);
    return { checkout, id, payment, acsTransID: authentication?.acs_trans_id ?? "" };
  }

  it("waits while the issuer authenticates in its app, and shows the customer the issuer's message", async () => {
    const { checkout, id, payment, acsTransID } = await payDecoupled();
    expect(payment).toEqual({
      id,
      status: "decoupled",
      cardholder_info: "Please approve the payment in the Test Bank app.",
      deadline: expect.any(Number),
    });
    const [authentication] = await authenticationsOf(service, id);
    expect(await atTheBank(service, authentication?.id ?? "")).toMatchObject({
      requested: { threeDSRequestorDecReqInd: "F" },
    });
    await decideInApp(service, acsTransID, "approve");
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(await decisionOf(service, id)).toMatchObject({
      three_d_secure: { result: "authenticated", version: "2.3.1" },
    });
  });

  it("fails when the customer rejects it in the issuer's app", async () => {
    const { checkout, id, acsTransID } = await payDecoupled();
    await decideInApp(service, acsTransID, "decline");
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "authentication_failed" });
  });

  it("can be given up during authentication in an app, which is final, and the later result is only recorded", async () => {
    const { checkout, id, acsTransID } = await payDecoupled();
    expect((await checkout.cancel(id)).body["payment"]).toMatchObject({
      status: "declined",
      reason: "authentication_canceled",
      cardholder_info: null,
    });
    const after = await everything(service, checkout, id);
    await decideInApp(service, acsTransID, "approve");
    expect(await everything(service, checkout, id)).toEqual(after);
    expect(await authenticationsOf(service, id)).toMatchObject([{ late_result: { trans_status: "Y" } }]);
  });

  /** Replaces the sandbox bank's response with one that it would never send. */
  async function authenticateWith(
    card: string,
    replace: (sent: Ares) => Ares,
  ): Promise<{ checkout: Checkout; id: string }> {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(card)).body["payment"]?.["id"]);
    const { context } = service;
    const bank = directoryServerOf(context.vault.test);
    const faked = withDirectoryServer(context, {
      async authenticate(...args) {
        const sent = await bank.authenticate(...args);
        return typeof sent === "string" ? sent : replace(sent);
      },
    });
    const decision = context.db.selectFrom("decision").selectAll().where("id", "=", id);
    await authenticate(faked, await decision.executeTakeFirstOrThrow(), "Test Shop");
    return { checkout, id };
  }

  it("fails when the issuer uses decoupled authentication in 2.2.0 without being asked to", async () => {
    // The specification doesn't allow this response.
    const decouples = (sent: Ares) => ({ ...sent, transStatus: "D", acsDecConInd: "Y" }) as Ares;
    const { checkout, id } = await authenticateWith(threeDSecureCards.version_2_2_0[0], decouples);
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({ status: "declined", reason: "try_again" });
    expect(await decisionOf(service, id)).toMatchObject({ three_d_secure: { result: "protocol_error" } });
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "bank.example"])(
    "fails when the issuer sends the browser to %j for a challenge",
    async (acsURL) => {
      // The changed object is still an ARes.
      const { checkout, id } = await authenticateWith(cardNumbers.challenge, (sent) => ({ ...sent, acsURL }) as Ares);
      expect((await checkout.payment(id)).body["payment"]).toMatchObject({ status: "declined", reason: "try_again" });
      expect(await decisionOf(service, id)).toMatchObject({ decline_code: "authentication_unavailable" });
    },
  );

  // The tests below move the clock.
  it("is charged without liability shift when the issuer is only informed", async () => {
    const informs = (sent: Ares) => ({ ...sent, transStatus: "I" }) as Ares; // the result is still an ARes
    const { checkout, id } = await authenticateWith(cardNumbers.frictionless, informs);
    service.moveClock(claimSeconds * 1000); // so that a worker continues
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(await decisionOf(service, id)).toMatchObject({
      three_d_secure: { result: "exempted", liability_shift: false },
    });
    expect((await service.bankAuthorizations()).at(-1)).toMatchObject({ status: "approved", authenticated: false });
  });

  it("sends the proof to the acquirer even without an ECI", async () => {
    const withoutEci = (sent: Ares): Ares => {
      if (sent.messageType === "Erro") return sent;
      const { eci: _, ...others } = sent;
      return others;
    };
    const { checkout, id } = await authenticateWith(cardNumbers.frictionless, withoutEci);
    service.moveClock(claimSeconds * 1000);
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(await decisionOf(service, id)).toMatchObject({ three_d_secure: { eci: null, liability_shift: true } });
    expect((await service.bankAuthorizations()).at(-1)).toMatchObject({ status: "approved", authenticated: true });
  });

  it("isn't charged when the issuer rejected it and the process died before storing that", async () => {
    const before = (await service.bankAuthorizations()).length;
    const died = (): Ares => {
      throw new Error("The process died");
    };
    const card = threeDSecureCards.rejected[0];
    await expect(authenticateWith(card, died)).rejects.toThrow("The process died");
    service.moveClock(31_000);
    await sweep(service.context);
    const { id } = await service.context.db
      .selectFrom("decision")
      .select("id")
      .orderBy("created_at", "desc")
      .limit(1)
      .executeTakeFirstOrThrow();
    expect(await decisionOf(service, id)).toMatchObject({
      status: "declined",
      decline_code: "authentication_unavailable",
    });
    expect((await service.bankAuthorizations()).length).toBe(before);
  });

  it("waits no longer for a result from an app than for a challenge", async () => {
    const { checkout, id, payment } = await payDecoupled();
    service.moveClock(10 * 60_000);
    await sweep(service.context);
    expect((await checkout.payment(id)).body["payment"]).toEqual(payment);
    service.moveClock(31_000);
    await sweep(service.context);
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({
      status: "declined",
      reason: "authentication_timed_out",
      challenge_outcome: null,
    });
    expect(await chargesOf(service, checkout)).toMatchObject([
      { failure: { decline_code: "authentication_timed_out" } },
    ]);
  });
});
