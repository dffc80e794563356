/**
 * Tests paying in the iframe: which card messages are accepted, and what happens to the payment. 3-D Secure and card
 * storage have their own test files.
 */
import { generateKeyPairSync } from "node:crypto";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { setAccountStatus } from "../src/merchants/accounts/accounts.ts";
import { browser, cardNumbers, openCheckout, type Checkout } from "./setup/customer.ts";
import { expectError, invalid, type Refusal } from "./setup/expect-error.ts";
import { startWithKillableBank } from "./setup/killable-bank.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { storedCards } from "./setup/vault-counts.ts";

const service = await openForTests(startWithKillableBank());
afterEach(() => {
  service.line.watch = () => "pass";
});

const badMessage = invalid("card_message_invalid", "card");

const paymentOf = (response: ApiResponse) => response.body["payment"];

async function eventsOf(checkout: Checkout): Promise<Json[]> {
  const { body } = await service.call("GET", "/api/v1/events?limit=100");
  const events = body["data"] as unknown as Json[]; // a list's data is an array
  return events.filter((event) => JSON.stringify(event).includes(checkout.sessionId)).reverse();
}

describe("a card", () => {
  it("pays the session once when it is approved", async () => {
    const checkout = await openCheckout(service, { metadata: { order: "7" } });
    const before = (await service.bankAuthorizations()).length;
    const paid = await checkout.pay(cardNumbers.approved);
    expect(paid.body).toEqual({
      payment: { id: expect.stringMatching(/^dec_/), status: "succeeded" },
      session: { status: "complete", attempts_left: 5 },
      encryption: expect.any(Object),
    });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid", decision_id: null });
    expect((await service.bankAuthorizations()).slice(before)).toMatchObject([
      { status: "approved", amount: 4900, requests: 1 },
    ]);

    const [event, ...more] = await eventsOf(checkout);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "payment.succeeded",
      object_sequence: 1,
      data: {
        object: {
          object: "charge",
          status: "succeeded",
          amount_captured: 4900,
          session_id: checkout.sessionId,
          session: {
            id: checkout.sessionId,
            status: "complete",
            payment_status: "paid",
            attempts_left: 5,
            metadata: { order: "7" },
          },
        },
      },
    });
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_closed"));
    const reload = await service.frame("POST", `/frame/sessions/${checkout.sessionId}/open`, {
      client_secret: checkout.clientSecret,
    });
    expect(reload.body).toMatchObject({ payment: paymentOf(paid), session: { status: "complete" } });
  });

  it("leaves the session open for another card when it is declined, and the customer sees less than the merchant", async () => {
    const checkout = await openCheckout(service);
    const declined = await checkout.pay(cardNumbers.stolen);
    expect(paymentOf(declined)).toEqual({
      id: expect.any(String),
      status: "declined",
      reason: "declined",
      cardholder_info: null,
      challenge_outcome: null,
      retryable: true,
    });
    expect(declined.body["session"]).toEqual({ status: "open", attempts_left: 4 });
    expect(declined.text).not.toContain("stolen");
    expect(paymentOf(await checkout.pay(cardNumbers.insufficientFunds))).toMatchObject({
      reason: "insufficient_funds",
    });
    expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "unpaid", attempts_left: 3 });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "succeeded" });

    const events = await eventsOf(checkout);
    expect(events.map(({ type }) => type)).toEqual(["payment_failed", "payment_failed", "payment.succeeded"]);
    expect(events[0]?.["data"]?.["object"]).toMatchObject({
      status: "failed",
      failure: { code: "card_declined", decline_code: "stolen_card" },
      session: { status: "open", payment_status: "unpaid", attempts_left: 4 },
    });
  });

  it("ends the session when it fails five times", async () => {
    const checkout = await openCheckout(service);
    for (const left of [4, 3, 2, 1, 0]) {
      const { body } = await checkout.pay(cardNumbers.declined);
      expect(body).toMatchObject({
        payment: { status: "declined", retryable: left > 0 },
        session: { status: left > 0 ? "open" : "expired", attempts_left: left },
      });
    }
    const before = (await service.bankAuthorizations()).length;
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_closed"));
    expect((await service.bankAuthorizations()).length).toBe(before);
    const types = (await eventsOf(checkout)).map(({ type }) => String(type)).sort();
    expect(types).toEqual(["checkout_session.expired", ...Array.from({ length: 5 }, () => "payment_failed")]);
  });

  it("is refused when its message is sent twice, and the error comes with a new nonce", async () => {
    const checkout = await openCheckout(service);
    const message = await checkout.encrypt(cardNumbers.declined);
    expect(paymentOf(await checkout.pay(message))).toMatchObject({ status: "declined" });
    const before = (await service.bankAuthorizations()).length;
    const replayed = await checkout.pay(message);
    const { encryption, ...rest } = replayed.body as Record<string, Json>;
    expectError({ ...replayed, body: rest }, invalid("card_message_stale", "card"));
    expect(await checkout.session()).toMatchObject({ attempts_left: 4, payment_status: "unpaid" });
    expect((await service.bankAuthorizations()).length).toBe(before);
    if (encryption === undefined) throw new Error("The error has no encryption data");
    expect(paymentOf(await checkout.pay(await checkout.encrypt(cardNumbers.approved, { encryption })))).toMatchObject({
      status: "succeeded",
    });
  });

  it("is accepted once when its message is sent ten times at once", async () => {
    const checkout = await openCheckout(service);
    const before = (await service.bankAuthorizations()).length;
    const message = await checkout.encrypt(cardNumbers.approved);
    const responses = await Promise.all(Array.from({ length: 10 }, () => checkout.pay(message)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await service.bankAuthorizations()).length - before).toBe(1);
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
  });

  it("must be encrypted again when the key was replaced, and the error comes with the new key", async () => {
    const checkout = await openCheckout(service);
    const older = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
    const { nonce } = checkout.opened["encryption"] as unknown as { nonce: string }; // according to the contract
    const encryption = { key: { ...older, kid: "older" }, nonce } as unknown as Json; // always JSON
    const { status, body } = await checkout.pay(await checkout.encrypt(cardNumbers.approved, { encryption }));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { code: "card_message_stale", param: "card" },
      encryption: { key: { kty: "EC" } },
    });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "succeeded" });
  });

  it("is refused in another session", async () => {
    const [mine, other] = [await openCheckout(service), await openCheckout(service)];
    expectError(await mine.pay(await other.encrypt(cardNumbers.approved)), badMessage);
    const { nonce } = other.opened["encryption"] as unknown as { nonce: string }; // according to the contract
    expectError(await mine.pay(await mine.encrypt(cardNumbers.approved, { claims: { nonce } })), badMessage);
    expect(await storedCards(service, mine)).toEqual({ cards: 0, codes: 0 });
  });

  it.each<[string, (checkout: Checkout) => Promise<string>]>([
    ["another algorithm", (checkout) => checkout.encrypt(cardNumbers.approved, { header: { enc: "A128GCM" } })],
    ["an invalid number", (checkout) => checkout.encrypt("4242424242424241")],
    ["an expiry in the past", (checkout) => checkout.encrypt(cardNumbers.approved, { claims: { exp_year: 2020 } })],
    ["an invalid CVC", (checkout) => checkout.encrypt(cardNumbers.approved, { cvc: "12" })],
    ["no message at all", () => Promise.resolve("4242 4242 4242 4242")],
    ["a missing part", async (checkout) => (await checkout.encrypt(cardNumbers.approved)).replace(/\.[^.]+$/, ".")],
  ])("is refused with %s, and no attempt is counted", async (_name, message) => {
    const checkout = await openCheckout(service);
    expectError(await checkout.pay(await message(checkout)), badMessage);
    expect(await checkout.session()).toMatchObject({ attempts_left: 5, payment_status: "unpaid" });
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
  });

  it("is sent with the browser data that the issuer needs and nothing more", async () => {
    const { token } = await openCheckout(service);
    const request = { card: "x", browser, challenge_window_size: "05" };
    const { browserTZ: _, ...withoutZone } = browser;
    const refusals: [object, Refusal][] = [
      [{ ...request, card: "x".repeat(8193) }, invalid("parameter_invalid", "card")],
      [{ ...request, card: "" }, invalid("parameter_invalid", "card")],
      [{ ...request, card: { number: "4242424242424242" } }, invalid("parameter_invalid", "card.number")],
      [{ ...request, browser: withoutZone }, invalid("parameter_missing", "browser.browserTZ")],
      [
        { ...request, browser: { ...browser, browserIP: "1.2.3.4" } },
        invalid("parameter_unknown", "browser.browserIP"),
      ],
      [
        { ...request, browser: { ...browser, browserScreenWidth: 1440 } },
        invalid("parameter_invalid", "browser.browserScreenWidth"),
      ],
      [
        { ...request, browser: { ...browser, browserLanguage: "de-DE-1996" } },
        invalid("parameter_invalid", "browser.browserLanguage"),
      ],
      [{ ...request, challenge_window_size: "06" }, invalid("parameter_invalid", "challenge_window_size")],
      [{ ...request, amount: 1 }, invalid("parameter_unknown", "amount")],
      [{ ...request, session_id: "cs_1" }, invalid("parameter_unknown", "session_id")],
    ];
    for (const [body, refusal] of refusals)
      expectError(await service.frame("POST", "/frame/payments", body, token), refusal);
  });
});

describe("two tabs that pay one session at the same moment", () => {
  it("create one payment: the other tab has to wait, and its card is erased", async () => {
    service.moveClock(61 * 60_000); // the card ranges must be fetched again, which delays both tabs at this point
    const checkout = await openCheckout(service);
    const before = await countCards();
    const bothAreStored = async () => ((await countCards()) - before >= 2 ? true : null);
    let held = 0;
    service.line.watch = async (request): Promise<"pass"> => {
      if (request === "POST /directory-server" && ++held === 1) await until("both cards to be received", bothAreStored);
      return "pass";
    };
    const encryption = checkout.opened["encryption"];
    const other = (
      await service.frame("POST", `/frame/sessions/${checkout.sessionId}/open`, {
        client_secret: checkout.clientSecret,
      })
    ).body;
    const messages = [
      await checkout.encrypt(cardNumbers.challenge, encryption === undefined ? {} : { encryption }),
      await checkout.encrypt(
        cardNumbers.frictionless,
        other["encryption"] === undefined ? {} : { encryption: other["encryption"] },
      ),
    ];
    const responses = await Promise.all(messages.map((message) => checkout.pay(message)));
    expect(held).toBe(1); // both cards were received before either payment started
    const [won, lost] = responses.sort((a, b) => a.status - b.status);
    expect(won?.body).toMatchObject({ payment: { status: "three_ds" } });
    if (lost === undefined) throw new Error("Bug: expected a refused response");
    expectError(lost, invalid("session_payment_in_progress"));
    expect((await countCards()) - before).toBe(1);
    expect(await storedCards(service, checkout)).toEqual({ cards: 1, codes: 1 });
  });

  async function countCards(): Promise<number> {
    const { rows } = await sql<{ n: number }>`select count(*)::integer as n from vault.card`.execute(
      service.context.db,
    );
    return rows[0]?.n ?? -1;
  }
});

describe("a session that the merchant's server confirms", () => {
  const server = { confirmation: "server" };

  it("waits with an approved decision and is complete once it is charged", async () => {
    const checkout = await openCheckout(service, server);
    const before = (await service.bankAuthorizations()).length;
    const waiting = await checkout.pay(cardNumbers.approved);
    const { id, payment_method_id } = paymentOf(waiting) ?? {};
    expect(waiting.body).toMatchObject({
      payment: { status: "requires_confirmation", payment_method_id: expect.stringMatching(/^pm_/), decision_id: id },
      session: { status: "open" },
    });
    expect(await checkout.session()).toMatchObject({
      status: "open",
      payment_status: "unpaid",
      decision_id: id,
      payment_method_id,
    });
    expect((await service.bankAuthorizations()).length).toBe(before);
    expect(await storedCards(service, checkout)).toEqual({ cards: 1, codes: 1 });
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_payment_in_progress"));

    const charge = await service.call("POST", "/api/v1/charges", {
      amount: 4900,
      currency: "eur",
      payment_method_id,
      decision_id: id,
      metadata: { by: "server" },
    });
    expect(charge.body).toMatchObject({
      status: "succeeded",
      session_id: checkout.sessionId,
      metadata: { by: "server" },
    });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(paymentOf(await checkout.payment(String(id)))).toEqual({ id, status: "succeeded" });
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
    expect((await eventsOf(checkout)).map(({ type }) => type)).toEqual(["payment.succeeded"]);
  });

  it("is open again after the merchant's charge was declined", async () => {
    const checkout = await openCheckout(service, server);
    const { id, payment_method_id } = paymentOf(await checkout.pay(cardNumbers.insufficientFunds)) ?? {};
    const charge = await service.call("POST", "/api/v1/charges", {
      amount: 4900,
      currency: "eur",
      payment_method_id,
      decision_id: id,
    });
    expect(charge.status).toBe(402);
    expect(paymentOf(await checkout.payment(String(id)))).toMatchObject({
      status: "declined",
      reason: "insufficient_funds",
    });
    expect(await checkout.session()).toMatchObject({ status: "open", attempts_left: 4, decision_id: null });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "requires_confirmation" });
  });
});

describe("a payment of unknown outcome", () => {
  it("is checked with the acquirer when its page requests the status", async () => {
    const alone = await startTestService({ bankUrl: service.line.url, role: "api" }); // no other process checks
    try {
      const checkout = await openCheckout(alone);
      service.line.watch = (request) => (request.includes("/acquirer/") ? "lose" : "pass");
      const started = await checkout.pay(cardNumbers.approved);
      const id = String(paymentOf(started)?.["id"]);
      expect(paymentOf(started)).toEqual({ id, status: "processing" });
      alone.moveClock(2_000);
      expect(paymentOf(await checkout.payment(id))).toEqual({ id, status: "processing" });
      service.line.watch = () => "pass";
      alone.moveClock(2_000);
      expect(await checkout.payment(id)).toMatchObject({
        body: { payment: { id, status: "succeeded" }, session: { status: "complete" } },
      });
    } finally {
      await alone.close();
    }
  });
});

describe("a suspended account", () => {
  it("takes no new payments in sessions that are already open until it is resumed", async () => {
    const merchant = await newMerchant(service);
    const checkout = await merchant.checkout();
    const { db, now } = service.context;
    const { accountId } = merchant;
    const before = (await service.bankAuthorizations()).length;
    await setAccountStatus(db, accountId, "suspended", now(), "test");
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_closed"));
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
    expect((await service.bankAuthorizations()).length).toBe(before);
    await setAccountStatus(db, accountId, "active", now(), "test");
    expect(await checkout.session()).toMatchObject({ status: "open", attempts_left: 5, payment_status: "unpaid" });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "succeeded" });
  });
});
