/**
 * Tests 3-D Secure against the sandbox's directory server and ACS: a payment with and without a challenge, and what
 * happens when the customer disappears. `three-d-secure-results.test.ts` covers where the outcome comes from.
 */
import { describe, expect, it, vi } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { authenticate } from "../src/payments/flow/threeds/authentications.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge, bankAuthentications, threeDSPath } from "./setup/at-the-bank.ts";
import { browser, cardNumbers, openCheckout, payUpToChallenge } from "./setup/customer.ts";
import { directoryServerOf, withDirectoryServer } from "./setup/directory-server-of.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { authenticationsOf, chargesOf, decisionOf, decode, everything, settled } from "./setup/payment-state.ts";
import { rawRequest } from "./setup/raw-request.ts";
import { startTestService, type Json } from "./setup/test-service.ts";

const service = await openForTests(startTestService());

describe("a card that its issuer authenticates without a challenge", () => {
  it("is authenticated after the 3DS Method, and the charge has the proof", async () => {
    const checkout = await openCheckout(service);
    const { body } = await checkout.pay(cardNumbers.frictionless);
    const id = String(body["payment"]?.["id"]);
    expect(body["payment"]).toEqual({
      id,
      status: "three_ds",
      runner: `/3ds/run/${id}`,
      method: { url: "http://bank.localhost:4100/acs/method", data: expect.any(String), timeout_ms: 5_000 },
    });
    expect(decode(body["payment"]?.["method"]?.["data"])).toEqual({
      threeDSServerTransID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      threeDSMethodNotificationURL: service.config.checkoutOrigin + threeDSPath(service, "method"),
    });
    expect(await decisionOf(service, id)).toMatchObject({ status: "requires_action", three_d_secure: null });

    expect((await checkout.authenticate(id)).body).toMatchObject({
      payment: { status: "succeeded" },
      session: { status: "complete" },
    });
    expect(await decisionOf(service, id)).toMatchObject({
      status: "consumed",
      three_d_secure: { result: "authenticated", version: "2.3.1", eci: "05", liability_shift: true },
    });
    expect((await service.bankAuthorizations()).at(-1)).toMatchObject({ status: "approved", authenticated: true });
  });

  it("needs no 3DS Method if the issuer has none", async () => {
    const checkout = await openCheckout(service);
    const payment = (await checkout.pay(cardNumbers.frictionlessWithoutMethod)).body["payment"];
    expect(payment).toMatchObject({ status: "three_ds", method: null });
    expect((await checkout.authenticate(String(payment?.["id"]))).body["payment"]).toMatchObject({
      status: "succeeded",
    });
    expect(await decisionOf(service, String(payment?.["id"]))).toMatchObject({
      three_d_secure: { eci: "02", liability_shift: true },
    });
  });

  it("is authenticated once when ten requests arrive at the same moment", async () => {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(cardNumbers.frictionless)).body["payment"]?.["id"]);
    const before = {
      ledger: (await service.bankAuthorizations()).length,
      authentications: (await bankAuthentications(service)).length,
    };
    const responses = await Promise.all(Array.from({ length: 10 }, () => checkout.authenticate(id)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect((await bankAuthentications(service)).length - before.authentications).toBe(1);
    expect((await service.bankAuthorizations()).length - before.ledger).toBe(1);
  });
});

describe("a request that the directory server refuses", () => {
  it("doesn't turn off 3-D Secure when the browser data is the reason: the payment fails, and nothing is charged", async () => {
    const checkout = await openCheckout(service);
    const before = (await service.bankAuthorizations()).length;
    const id = String((await checkout.pay(cardNumbers.challenge)).body["payment"]?.["id"]);
    // What a browser without an Accept header would have sent.
    await service.context.db
      .updateTable("authentication")
      .set({ browser_accept: "" })
      .where("decision_id", "=", id)
      .execute();
    expect((await checkout.authenticate(id)).body).toMatchObject({
      payment: { status: "declined", reason: "try_again", challenge_outcome: null, retryable: true },
      session: { status: "open", attempts_left: 4 },
    });
    expect(await decisionOf(service, id)).toMatchObject({
      decline_code: "authentication_unavailable",
      three_d_secure: { result: "protocol_error", liability_shift: false },
    });
    expect((await service.bankAuthorizations()).length).toBe(before);
  });

  it("isn't sent without a User-Agent, because the card of such a browser is refused", async () => {
    const checkout = await openCheckout(service);
    const body = JSON.stringify({
      card: await checkout.encrypt(cardNumbers.challenge),
      browser,
      challenge_window_size: "05",
    });
    const [path, headers] = ["/frame/payments", ["Content-Type", "application/json"]];
    const { checkoutOrigin: origin } = service.config;
    const response = await rawRequest(service, { path, origin, token: checkout.token, headers, body });
    expectError(response, invalid("parameter_missing", "User-Agent"));
  });
});

describe("a customer who gives up during the authentication request", () => {
  it("ends the payment, and it stays ended if the issuer then requires a challenge", async () => {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(cardNumbers.challenge)).body["payment"]?.["id"]);
    const bank = directoryServerOf(service.context.vault.test);
    const original = bank.authenticate.bind(bank);
    const called = vi.spyOn(bank, "authenticate").mockImplementationOnce(async (...args) => {
      const response = await original(...args);
      await checkout.cancel(id);
      return response;
    });
    try {
      expect((await checkout.authenticate(id)).status).toBe(200);
      expect(await called.mock.results[0]?.value).toMatchObject({ messageType: "ARes", transStatus: "C" });
    } finally {
      called.mockRestore();
    }
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({
      status: "declined",
      reason: "authentication_canceled",
    });
    expect(await authenticationsOf(service, id)).toMatchObject([
      { status: "complete", result: "canceled", flow: null },
    ]);
    expect(await checkout.session()).toMatchObject({ status: "open", attempts_left: 4 });
  });
});

describe("a challenge", () => {
  it("pays the session when the customer passes it", async () => {
    const checkout = await openCheckout(service);
    const { id, payment } = await payUpToChallenge(checkout);
    expect(payment).toEqual({
      id,
      status: "challenge",
      runner: `/3ds/run/${id}`,
      acs_url: "http://bank.localhost:4100/acs/challenge",
      creq: expect.any(String),
      window_size: "03",
      deadline: expect.any(Number),
    });
    expect(decode(payment["creq"])).toEqual({
      messageType: "CReq",
      messageVersion: "2.3.1",
      threeDSServerTransID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      acsTransID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      challengeWindowSize: "03",
    });
    // A reload shows the challenge again, and a second tab can't pay in the meantime.
    const reload = await service.frame("POST", `/frame/sessions/${checkout.sessionId}/open`, {
      client_secret: checkout.clientSecret,
    });
    expect(reload.body["payment"]).toEqual(payment);
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_payment_in_progress"));

    const back = await completeChallenge(service, payment, { code: "111111" });
    expect(back?.address).toBe(service.config.checkoutOrigin + threeDSPath(service, "challenge"));
    expect(await settled(checkout, id)).toEqual({ id, status: "succeeded" });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(await decisionOf(service, id)).toMatchObject({
      three_d_secure: { result: "authenticated", eci: "05", liability_shift: true },
    });
    expect((await service.bankAuthorizations()).at(-1)).toMatchObject({ authenticated: true, requests: 1 });
  });

  it.each([
    ["fails", { code: "222222" }, "authentication_failed", "failed"],
    ["gives up on the bank's page", "cancel", "authentication_canceled", "canceled"],
  ] as const)(
    "is a failed attempt without an acquirer request when the customer %s, and another card may follow",
    async (_name, input, code, challenge_outcome) => {
      const checkout = await openCheckout(service);
      const before = (await service.bankAuthorizations()).length;
      const { id, payment } = await payUpToChallenge(checkout);
      await completeChallenge(service, payment, input);
      expect(await settled(checkout, id)).toEqual({
        id,
        status: "declined",
        reason: code,
        cardholder_info: null,
        challenge_outcome,
        retryable: true,
      });
      expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "unpaid", attempts_left: 4 });
      expect(await chargesOf(service, checkout)).toMatchObject([
        { status: "failed", failure: { code: "card_declined", decline_code: code } },
      ]);
      expect(await decisionOf(service, id)).toMatchObject({
        status: "declined",
        decline_code: code,
        three_d_secure: { liability_shift: false },
      });
      expect((await service.bankAuthorizations()).length).toBe(before);

      expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
      expect((await service.bankAuthorizations()).length).toBe(before + 1);
    },
  );

  it("ends when the customer gives up in the iframe, and the bank's later result changes nothing", async () => {
    const checkout = await openCheckout(service);
    const { id, payment } = await payUpToChallenge(checkout);
    expect((await checkout.cancel(id)).body).toMatchObject({
      payment: { status: "declined", reason: "authentication_canceled", retryable: true },
      session: { status: "open", attempts_left: 4 },
    });
    const after = await everything(service, checkout, id);
    await completeChallenge(service, payment, { code: "111111" });
    await checkout.cancel(id);
    await checkout.authenticate(id);
    expect(await everything(service, checkout, id)).toEqual(after);
  });

  it("leaves an approved decision if the merchant's server confirms", async () => {
    const checkout = await openCheckout(service, { confirmation: "server" });
    const { id, payment } = await payUpToChallenge(checkout);
    const before = (await service.bankAuthorizations()).length;
    await completeChallenge(service, payment, { code: "111111" });
    const waiting = await settled(checkout, id);
    expect(waiting).toMatchObject({ status: "requires_confirmation", decision_id: id });
    expect((await service.bankAuthorizations()).length).toBe(before);
    const { payment_method_id } = waiting;
    const charge = await service.call("POST", "/api/v1/charges", {
      amount: 4000,
      currency: "eur",
      payment_method_id,
      decision_id: id,
    });
    expect(charge.body).toMatchObject({ status: "succeeded", amount: 4000 });
    expect((await service.bankAuthorizations()).at(-1)).toMatchObject({ amount: 4000, authenticated: true });
  });

  it("must be passed before a charge", async () => {
    const checkout = await openCheckout(service, { confirmation: "server" });
    const { id } = await payUpToChallenge(checkout);
    const { payment_method_id } = await decisionOf(service, id);
    const charge = await service.call("POST", "/api/v1/charges", {
      amount: 4900,
      currency: "eur",
      payment_method_id,
      decision_id: id,
    });
    expectError(charge, invalid("decision_not_approved", "decision_id"));
  });
});

// The tests below move the clock.
describe("a customer who disappears during a challenge", () => {
  it("causes the payment to fail at the time limit, and the session is open again", async () => {
    const checkout = await openCheckout(service);
    const { id, payment } = await payUpToChallenge(checkout);
    service.moveClock(10 * 60_000);
    await sweep(service.context);
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({ status: "challenge" });
    service.moveClock(31_000);
    await Promise.all([sweep(service.context), sweep(service.context)]);
    expect((await checkout.payment(id)).body).toMatchObject({
      payment: {
        status: "declined",
        reason: "authentication_timed_out",
        challenge_outcome: "timed_out",
        retryable: true,
      },
      session: { status: "open", attempts_left: 4 },
    });
    expect(await chargesOf(service, checkout)).toMatchObject([
      { status: "failed", failure: { decline_code: "authentication_timed_out" } },
    ]);
    const after = await everything(service, checkout, id);
    await completeChallenge(service, payment, { code: "111111" });
    expect(await everything(service, checkout, id)).toEqual(after);
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
  });

  it("causes the same failure before the authentication request", async () => {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(cardNumbers.challenge)).body["payment"]?.["id"]);
    service.moveClock(10 * 60_000 + 31_000);
    await sweep(service.context);
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({
      status: "declined",
      reason: "authentication_timed_out",
    });
  });

  it("may still pay after the decision's fifteen minutes", async () => {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(cardNumbers.challenge)).body["payment"]?.["id"]);
    service.moveClock(10 * 60_000);
    const { payment } = (await checkout.authenticate(id)).body;
    service.moveClock(6 * 60_000);
    await sweep(service.context);
    expect(await decisionOf(service, id)).toMatchObject({ status: "requires_action" });
    expect((await checkout.payment(id)).body["payment"]).toEqual(payment);
    await completeChallenge(service, payment ?? {}, { code: "111111" });
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(await decisionOf(service, id)).toMatchObject({
      status: "consumed",
      three_d_secure: { result: "authenticated" },
    });
  });

  it("keeps the session open past its expiry until the payment ends", async () => {
    const checkout = await openCheckout(service, { expires_after_minutes: 5 });
    const { id } = await payUpToChallenge(checkout);
    service.moveClock(6 * 60_000);
    await sweep(service.context);
    expect(await checkout.session()).toMatchObject({ status: "open" });
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({ status: "challenge" });
    service.moveClock(5 * 60_000);
    await sweep(service.context);
    expect(await checkout.session()).toMatchObject({ status: "expired", payment_status: "unpaid" });
    const events = await service.call("GET", "/api/v1/events?limit=100");
    const types = (events.body["data"] as unknown as Json[]) // a list's data is an array
      .filter((event) => JSON.stringify(event).includes(checkout.sessionId))
      .map(({ type }) => String(type));
    expect(types.sort()).toEqual(["checkout_session.expired", "payment_failed"]);
  });
});

describe("a process that died during the authentication request", () => {
  it("blocks the session for thirty seconds, and then the payment fails, since the issuer may have refused", async () => {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(cardNumbers.frictionless)).body["payment"]?.["id"]);
    const before = (await service.bankAuthorizations()).length;
    const late = await authenticateAndDie(id);
    service.moveClock(15_000);
    await sweep(service.context);
    expect((await checkout.payment(id)).body["payment"]).toEqual({ id, status: "authenticating" });
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_payment_in_progress"));

    service.moveClock(16_000);
    await Promise.all([sweep(service.context), sweep(service.context)]);
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({
      status: "declined",
      reason: "try_again",
      retryable: true,
    });
    expect(await chargesOf(service, checkout)).toMatchObject([
      { failure: { decline_code: "authentication_unavailable" } },
    ]);
    expect((await service.bankAuthorizations()).length).toBe(before);

    const after = await everything(service, checkout, id);
    expect(await late.wakeUp()).toBeNull(); // the process was not dead after all
    expect(await everything(service, checkout, id)).toEqual(after);
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
  });

  /** Runs a payment until its authentication request was sent and has no response yet. */
  async function authenticateAndDie(decisionId: string): Promise<{ wakeUp: () => Promise<unknown> }> {
    const { context } = service;
    const called = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<"silent">();
    const dying = withDirectoryServer(context, {
      authenticate() {
        called.resolve();
        return reply.promise;
      },
    });
    const decision = context.db.selectFrom("decision").selectAll().where("id", "=", decisionId);
    const authenticating = authenticate(dying, await decision.executeTakeFirstOrThrow(), "Test Shop");
    await called.promise;
    return {
      wakeUp() {
        reply.resolve("silent");
        return authenticating;
      },
    };
  }
});
