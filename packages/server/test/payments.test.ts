/** Paying in the frame: who may, what becomes of the card, and what of it can be seen anywhere. 3-D Secure has a file of its own. */
import { generateKeyPairSync } from "node:crypto";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { sweep } from "../src/jobs/sweeper.ts";
import { openBankLine, type BankLine } from "./setup/bank-line.ts";
import { startBankProcess, type BankProcess } from "./setup/bank-process.ts";
import { cardNumbers, openCheckout, securityCode, type Checkout } from "./setup/customer.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { expectRefusal, invalid, missing, type Refusal } from "./setup/expect-refusal.ts";
import { findCardData, formsOf } from "./setup/find-card-data.ts";
import { until } from "./setup/until.ts";
import { startTestService, type Answer, type Json, type TestService } from "./setup/test-service.ts";

let bank: BankProcess;
let line: BankLine;
let service: TestService;
beforeAll(async () => {
  bank = await startBankProcess();
  line = await openBankLine(bank.url);
  service = await startTestService({ bankUrl: line.url });
});
afterAll(async () => {
  await service.close();
  await line.close();
  await bank.close();
});
afterEach(() => {
  line.watch = () => "pass";
});

const badSecret: Refusal = { status: 401, type: "authentication_error", code: "client_secret_invalid" };
const badToken: Refusal = { status: 401, type: "authentication_error", code: "frame_token_invalid" };
const badMessage = invalid("card_message_invalid", "card");

const paymentOf = (answer: Answer) => answer.body["payment"];

async function eventsOf(checkout: Checkout): Promise<Json[]> {
  const { body } = await service.call("GET", "/api/v1/events?limit=100");
  const events = body["data"] as unknown as Json[]; // a list's data is an array
  return events.filter((event) => JSON.stringify(event).includes(checkout.sessionId)).reverse();
}

/** Rows that the vault keeps for the payment methods of a session. */
async function kept(checkout: Checkout): Promise<{ cards: number; codes: number }> {
  const { rows } = await sql<{ cards: number; codes: number }>`
    select count(card.payment_method_id)::integer as cards, count(code.payment_method_id)::integer as codes
      from payment_method left join vault.card as card on card.payment_method_id = payment_method.id
      left join vault.cvc as code on code.payment_method_id = payment_method.id
     where payment_method.session_id = ${checkout.sessionId}`.execute(service.context.db);
  return rows[0] ?? { cards: -1, codes: -1 };
}

describe("opening the page", () => {
  it("gives a token, what to show and what to encrypt with, and nothing that is the merchant's alone", async () => {
    const more = { description: "Two cups", metadata: { note: "internal" }, customer: { reference: "internal" } };
    const checkout = await openCheckout(service, { ...more, allowed_origins: ["https://shop.example"] });
    expect(checkout.opened).toEqual({
      token: expect.any(String),
      session: {
        id: checkout.sessionId,
        livemode: false,
        status: "open",
        payment_status: "unpaid",
        amount: 4900,
        currency: "eur",
        merchant_name: "Test Shop",
        description: "Two cups",
        allowed_origins: ["https://shop.example"],
        return_url: null,
        cancel_url: null,
        expires_at: expect.any(Number),
        attempts_left: 5,
      },
      encryption: {
        key: { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String), kid: expect.any(String) },
        nonce: expect.any(String),
      },
      payment: null,
    });
  });

  it("is refused with another secret, and an unknown session looks the same", async () => {
    const [mine, other] = [await openCheckout(service), await openCheckout(service)];
    const open = (id: string, client_secret: unknown) => service.frame("POST", `/frame/sessions/${id}/open`, { client_secret });
    const refusals = [
      await open(mine.sessionId, other.clientSecret),
      await open(mine.sessionId, mine.clientSecret.slice(0, -1)),
      await open(mine.sessionId, `${mine.clientSecret}A`),
      await open(mine.sessionId, mine.clientSecret.toUpperCase()),
      await open(mine.sessionId, service.secretKey),
      await open("cs_00000000000000000000000000", mine.clientSecret),
      await open("' or 1=1 --", mine.clientSecret),
    ];
    for (const answer of refusals) expectRefusal(answer, badSecret);
    expect(new Set(refusals.map(({ text }) => text)).size).toBe(1);
    expectRefusal(await open(mine.sessionId, ""), invalid("parameter_invalid", "client_secret"));
    expectRefusal(await open(mine.sessionId, ["x"]), invalid("parameter_invalid", "client_secret"));
    expectRefusal(
      await service.frame("POST", `/frame/sessions/${mine.sessionId}/open`, {}),
      invalid("parameter_missing", "client_secret"),
    );
  });

  it("may be done again: a reload and a second tab need it", async () => {
    const { sessionId, clientSecret } = await openCheckout(service);
    const again = await service.frame("POST", `/frame/sessions/${sessionId}/open`, { client_secret: clientSecret });
    expect(again.status).toBe(200);
    expect(again.headers["cache-control"]).toBe("no-store");
    expect(again.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("a token", () => {
  it.each<[string, (token: string) => string]>([
    ["with its session changed", (token) => token.replace(/^cs_./, "cs_1")],
    ["with its time changed", (token) => token.replace(/\.(\d+)\./, (_, time: string) => `.${Number(time) + 1}.`)],
    ["with its signature changed", (token) => `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`],
    ["without its signature", (token) => token.replace(/[^.]+$/, "")],
    ["cut off", (token) => token.slice(0, -1)],
    ["that is a secret key", () => service.secretKey],
    ["that is nothing", () => ""],
  ])("%s is refused", async (_name, change) => {
    const { token } = await openCheckout(service);
    const [method, path] = ["GET", "/frame/payments/dec_1"] as const;
    expectRefusal(await service.frame(method, path, undefined, change(token)), badToken);
  });

  it("that is missing is asked for on every call but open", async () => {
    expectRefusal(await service.frame("GET", "/frame/payments/dec_1"), badToken);
    for (const step of ["authenticate", "cancel"]) {
      expectRefusal(await service.frame("POST", `/frame/payments/dec_1/${step}`, {}), badToken);
    }
  });

  it("opens no other session's payment", async () => {
    const [mine, other] = [await openCheckout(service), await openCheckout(service)];
    const id = String(paymentOf(await mine.pay(cardNumbers.frictionless))?.["id"]);
    expect((await mine.payment(id)).status).toBe(200);
    for (const answer of [await other.payment(id), await other.authenticate(id), await other.cancel(id)])
      expectRefusal(answer, missing);
    expect(paymentOf(await mine.payment(id))).toMatchObject({ status: "three_ds" });
  });

  it("is no key of the API", async () => {
    const { token } = await openCheckout(service);
    const answer = await service.call("GET", "/api/v1/charges", undefined, { authorization: `Bearer ${token}` });
    expectRefusal(answer, { status: 401, type: "authentication_error", code: "api_key_invalid" });
  });
});

describe("a card", () => {
  it("that the bank approves pays the session, once", async () => {
    const checkout = await openCheckout(service, { metadata: { order: "7" } });
    const before = (await service.bankBooks()).length;
    const paid = await checkout.pay(cardNumbers.approved);
    expect(paid.body).toEqual({
      payment: { id: expect.stringMatching(/^dec_/), status: "succeeded" },
      session: { status: "complete", attempts_left: 5 },
      encryption: expect.any(Object),
    });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid", decision_id: null });
    expect((await service.bankBooks()).slice(before)).toMatchObject([{ status: "approved", amount: 4900, requests: 1 }]);

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
    expectRefusal(await checkout.pay(cardNumbers.approved), invalid("session_closed"));
    const reload = await service.frame("POST", `/frame/sessions/${checkout.sessionId}/open`, {
      client_secret: checkout.clientSecret,
    });
    expect(reload.body).toMatchObject({ payment: paymentOf(paid), session: { status: "complete" } });
  });

  it("that the bank declines leaves the session open for another, and the customer learns less than the merchant", async () => {
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
    expect(paymentOf(await checkout.pay(cardNumbers.insufficientFunds))).toMatchObject({ reason: "insufficient_funds" });
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

  it("that fails five times over ends the session", async () => {
    const checkout = await openCheckout(service);
    for (const left of [4, 3, 2, 1, 0]) {
      const { body } = await checkout.pay(cardNumbers.declined);
      expect(body).toMatchObject({
        payment: { status: "declined", retryable: left > 0 },
        session: { status: left > 0 ? "open" : "expired", attempts_left: left },
      });
    }
    const before = (await service.bankBooks()).length;
    expectRefusal(await checkout.pay(cardNumbers.approved), invalid("session_closed"));
    expect((await service.bankBooks()).length).toBe(before);
    const types = (await eventsOf(checkout)).map(({ type }) => String(type)).sort();
    expect(types).toEqual(["checkout_session.expired", ...Array.from({ length: 5 }, () => "payment_failed")]);
  });

  it("whose message is sent a second time is not taken, and what it needs to be encrypted anew stands beside the error", async () => {
    const checkout = await openCheckout(service);
    const message = await checkout.encrypt(cardNumbers.declined);
    expect(paymentOf(await checkout.pay(message))).toMatchObject({ status: "declined" });
    const before = (await service.bankBooks()).length;
    const replayed = await checkout.pay(message);
    const { encryption, ...rest } = replayed.body as Record<string, Json>;
    expectRefusal({ ...replayed, body: rest }, invalid("card_message_stale", "card"));
    expect(await checkout.session()).toMatchObject({ attempts_left: 4, payment_status: "unpaid" });
    expect((await service.bankBooks()).length).toBe(before);
    if (encryption === undefined) throw new Error("There is no encryption beside the error");
    expect(paymentOf(await checkout.pay(await checkout.encrypt(cardNumbers.approved, { encryption })))).toMatchObject({
      status: "succeeded",
    });
  });

  it("whose message is sent ten times at once is taken once", async () => {
    const checkout = await openCheckout(service);
    const before = (await service.bankBooks()).length;
    const message = await checkout.encrypt(cardNumbers.approved);
    const answers = await Promise.all(Array.from({ length: 10 }, () => checkout.pay(message)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await service.bankBooks()).length - before).toBe(1);
    expect(await kept(checkout)).toEqual({ cards: 0, codes: 0 });
  });

  it("under a key that has been replaced is asked for again, with the new one beside the error", async () => {
    const checkout = await openCheckout(service);
    const older = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
    const { nonce } = checkout.opened["encryption"] as unknown as { nonce: string }; // as the contract has it
    const encryption = { key: { ...older, kid: "older" }, nonce } as unknown as Json; // JSON by construction
    const { status, body } = await checkout.pay(await checkout.encrypt(cardNumbers.approved, { encryption }));
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: "card_message_stale", param: "card" }, encryption: { key: { kty: "EC" } } });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "succeeded" });
  });

  it("for another session is refused", async () => {
    const [mine, other] = [await openCheckout(service), await openCheckout(service)];
    expectRefusal(await mine.pay(await other.encrypt(cardNumbers.approved)), badMessage);
    const { nonce } = other.opened["encryption"] as unknown as { nonce: string }; // as the contract has it
    expectRefusal(await mine.pay(await mine.encrypt(cardNumbers.approved, { claims: { nonce } })), badMessage);
    expect(await kept(mine)).toEqual({ cards: 0, codes: 0 });
  });

  it.each<[string, (checkout: Checkout) => Promise<string>]>([
    ["another algorithm", (checkout) => checkout.encrypt(cardNumbers.approved, { header: { enc: "A128GCM" } })],
    ["a number that is none", (checkout) => checkout.encrypt("4242424242424241")],
    ["an expiry in the past", (checkout) => checkout.encrypt(cardNumbers.approved, { claims: { exp_year: 2020 } })],
    ["a code that is none", (checkout) => checkout.encrypt(cardNumbers.approved, { cvc: "12" })],
    ["no message at all", () => Promise.resolve("4242 4242 4242 4242")],
    ["a part missing", async (checkout) => (await checkout.encrypt(cardNumbers.approved)).replace(/\.[^.]+$/, ".")],
  ])("with %s is refused, and no try is counted", async (_name, message) => {
    const checkout = await openCheckout(service);
    expectRefusal(await checkout.pay(await message(checkout)), badMessage);
    expect(await checkout.session()).toMatchObject({ attempts_left: 5, payment_status: "unpaid" });
    expect(await kept(checkout)).toEqual({ cards: 0, codes: 0 });
  });

  it("comes with what the bank needs to know of the browser, and nothing more", async () => {
    const { token } = await openCheckout(service);
    const browser = {
      browserJavaEnabled: false,
      browserJavascriptEnabled: true,
      browserLanguage: "en",
      browserColorDepth: "24",
      browserScreenHeight: "900",
      browserScreenWidth: "1440",
      browserTZ: "0",
    };
    const request = { card: "x", browser, challenge_window_size: "05" };
    const { browserTZ: _, ...withoutZone } = browser;
    const refusals: [object, Refusal][] = [
      [{ ...request, card: "x".repeat(8193) }, invalid("parameter_invalid", "card")],
      [{ ...request, card: "" }, invalid("parameter_invalid", "card")],
      [{ ...request, card: { number: "4242424242424242" } }, invalid("parameter_invalid", "card")],
      [{ ...request, browser: withoutZone }, invalid("parameter_missing", "browser.browserTZ")],
      [{ ...request, browser: { ...browser, browserIP: "1.2.3.4" } }, invalid("parameter_unknown", "browser.browserIP")],
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
    for (const [body, refusal] of refusals) expectRefusal(await service.frame("POST", "/frame/payments", body, token), refusal);
  });
});

describe("two tabs that pay one session at the same moment", () => {
  it("make one payment; the other is told to wait, and its card is erased", async () => {
    service.moveClock(61 * 60_000); // the card ranges have to be asked for again, and that is where both wait
    const checkout = await openCheckout(service);
    const before = await countCards();
    const bothAreThere = async () => ((await countCards()) - before >= 2 ? true : null);
    let held = 0;
    line.watch = async (request): Promise<"pass"> => {
      if (request === "POST /directory-server" && ++held === 1) await until("both cards to be taken in", bothAreThere);
      return "pass";
    };
    const encryption = checkout.opened["encryption"];
    const other = (
      await service.frame("POST", `/frame/sessions/${checkout.sessionId}/open`, { client_secret: checkout.clientSecret })
    ).body;
    const messages = [
      await checkout.encrypt(cardNumbers.challenge, encryption === undefined ? {} : { encryption }),
      await checkout.encrypt(
        cardNumbers.frictionless,
        other["encryption"] === undefined ? {} : { encryption: other["encryption"] },
      ),
    ];
    const answers = await Promise.all(messages.map((message) => checkout.pay(message)));
    expect(held).toBe(1); // and both cards had been taken in when either payment began
    const [won, lost] = answers.sort((a, b) => a.status - b.status);
    expect(won?.body).toMatchObject({ payment: { status: "three_ds" } });
    if (lost === undefined) throw new Error("Bug: one answer");
    expectRefusal(lost, invalid("session_payment_in_progress"));
    expect((await countCards()) - before).toBe(1);
    expect(await kept(checkout)).toEqual({ cards: 1, codes: 1 });
  });

  async function countCards(): Promise<number> {
    const { rows } = await sql<{ n: number }>`select count(*)::integer as n from vault.card`.execute(service.context.db);
    return rows[0]?.n ?? -1;
  }
});

describe("a session that the merchant's server confirms", () => {
  const server = { confirmation: "server" };

  it("waits with an approved decision, and is complete when it was charged", async () => {
    const checkout = await openCheckout(service, server);
    const before = (await service.bankBooks()).length;
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
    expect((await service.bankBooks()).length).toBe(before);
    expect(await kept(checkout)).toEqual({ cards: 1, codes: 1 });
    expectRefusal(await checkout.pay(cardNumbers.approved), invalid("session_payment_in_progress"));

    const charge = await service.call("POST", "/api/v1/charges", {
      amount: 4900,
      currency: "eur",
      payment_method_id,
      decision_id: id,
      metadata: { by: "server" },
    });
    expect(charge.body).toMatchObject({ status: "succeeded", session_id: checkout.sessionId, metadata: { by: "server" } });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(paymentOf(await checkout.payment(String(id)))).toEqual({ id, status: "succeeded" });
    expect(await kept(checkout)).toEqual({ cards: 0, codes: 0 });
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
    expect(paymentOf(await checkout.payment(String(id)))).toMatchObject({ status: "declined", reason: "insufficient_funds" });
    expect(await checkout.session()).toMatchObject({ status: "open", attempts_left: 4, decision_id: null });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "requires_confirmation" });
  });
});

describe("the vault", () => {
  it("opens no card whose record was exchanged for another's, and says nothing of either", async () => {
    const [one, two] = [
      await openCheckout(service, { confirmation: "server" }),
      await openCheckout(service, { confirmation: "server" }),
    ];
    const payment = paymentOf(await one.pay(cardNumbers.approved));
    await two.pay(cardNumbers.declined);
    const [idOfOne, idOfTwo] = [await paymentMethodOf(one), await paymentMethodOf(two)];
    await sql`update vault.card set sealed = (select sealed from vault.card where payment_method_id = ${idOfTwo})
               where payment_method_id = ${idOfOne}`.execute(service.context.db);

    const before = (await service.bankBooks()).length;
    const charge = await service.call("POST", "/api/v1/charges", {
      amount: 4900,
      currency: "eur",
      payment_method_id: idOfOne,
      decision_id: payment?.["id"],
    });
    expectRefusal(charge, { status: 500, type: "api_error", code: "internal_error" });
    expect(charge.text).not.toMatch(/seal|vault|pm_|stack/i);
    expect(service.log.join("")).toContain("SealBrokenError");
    expect((await service.bankBooks()).length).toBe(before);
  });

  it("opens no card whose record was given to another account", async () => {
    const checkout = await openCheckout(service);
    const id = String(paymentOf(await checkout.pay(cardNumbers.frictionless))?.["id"]);
    const { tenant } = await service.addTenant(false);
    await sql`update vault.card set account_id = ${tenant.accountId} where payment_method_id = ${await paymentMethodOf(checkout)}`.execute(
      service.context.db,
    );
    expectRefusal(await checkout.authenticate(id), { status: 500, type: "api_error", code: "internal_error" });
  });

  it("erases the card and its code when the bank has answered, whatever the answer", async () => {
    for (const number of [cardNumbers.approved, cardNumbers.declined]) {
      const checkout = await openCheckout(service);
      await checkout.pay(number);
      expect(await kept(checkout)).toEqual({ cards: 0, codes: 0 });
    }
  });

  it("keeps a code that waits for fifteen minutes, and no sweep longer; the card goes with its decision", async () => {
    const checkout = await openCheckout(service, { confirmation: "server" });
    const payment = paymentOf(await checkout.pay(cardNumbers.approved));
    service.moveClock(15 * 60_000 - 5_000);
    await sweep(service.context);
    expect(await kept(checkout)).toEqual({ cards: 1, codes: 1 });
    service.moveClock(5_000);
    await sweep(service.context);
    expect(await kept(checkout)).toEqual({ cards: 0, codes: 0 });

    // Nobody charged: the form is open again, and no try was counted.
    expect(paymentOf(await checkout.payment(String(payment?.["id"])))).toMatchObject({ status: "declined", reason: "try_again" });
    expect(await checkout.session()).toMatchObject({ status: "open", attempts_left: 5, decision_id: null });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "requires_confirmation" });
  });

  it("lets the customer try again at once when nobody charged in time, swept or not", async () => {
    const checkout = await openCheckout(service, { confirmation: "server" });
    const first = paymentOf(await checkout.pay(cardNumbers.approved));
    service.moveClock(15 * 60_000);
    expect(paymentOf(await checkout.payment(String(first?.["id"])))).toMatchObject({ status: "declined", reason: "try_again" });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "requires_confirmation" });
    expect(await checkout.session()).toMatchObject({ attempts_left: 5 });
  });

  it("takes no message whose nonce is older than ten minutes, and forgets the nonces that are", async () => {
    const checkout = await openCheckout(service);
    const message = await checkout.encrypt(cardNumbers.approved);
    service.moveClock(10 * 60_000);
    expect((await checkout.pay(message)).body).toMatchObject({
      error: { code: "card_message_stale" },
      encryption: expect.any(Object),
    });
    await sweep(service.context);
    const { rows } = await sql`select nonce from vault.used_nonce`.execute(service.context.db);
    expect(rows).toEqual([]);
  });

  it("shows a card nowhere: not in the database, not in the log, not in an answer", async () => {
    // Cards in every state: waiting for the merchant, for the bank's challenge, served.
    await (await openCheckout(service, { confirmation: "server" })).pay(cardNumbers.approved);
    const challenged = await openCheckout(service);
    await challenged.authenticate(String(paymentOf(await challenged.pay(cardNumbers.challenge))?.["id"]));
    const { rows } = await sql<{ n: number }>`select count(*)::integer as n from vault.cvc`.execute(service.context.db);
    expect(rows[0]?.n).toBeGreaterThanOrEqual(2);

    const places = {
      database: await dumpDatabase(service.context.db),
      log: service.log.join("\n"),
      answers: service.answers.join("\n"),
    };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length).toBeGreaterThan(10_000);
      for (const number of Object.values(cardNumbers)) {
        expect({ place, found: findCardData(text, { number, code: securityCode }) }).toEqual({ place, found: [] });
      }
    }
    // A control: each form, put there, is found.
    for (const digits of [cardNumbers.approved, securityCode]) {
      for (const form of Object.values(formsOf(digits))) {
        const text = `${places.database}{"x":"${form}"}`;
        expect(findCardData(text, { number: cardNumbers.approved, code: securityCode })).not.toEqual([]);
      }
    }
  });

  async function paymentMethodOf(checkout: Checkout): Promise<string> {
    const { id } = await service.context.db
      .selectFrom("payment_method")
      .select("id")
      .where("session_id", "=", checkout.sessionId)
      .executeTakeFirstOrThrow();
    return id;
  }
});

describe("a page that stayed open for an hour after its session", () => {
  it("may do nothing any more", async () => {
    const checkout = await openCheckout(service, { expires_after_minutes: 5 });
    const id = String(paymentOf(await checkout.pay(cardNumbers.declined))?.["id"]);
    service.moveClock(65 * 60_000 - 5_000);
    expect((await checkout.payment(id)).status).toBe(200);
    service.moveClock(5_000);
    expectRefusal(await checkout.payment(id), badToken);
    expectRefusal(await checkout.pay("x"), badToken);
  });
});
