/** Tests the page of a checkout session: who may open it and what its token can do. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { startPayment } from "../src/payments/flow/payments.ts";
import { openFrameSession, sessionOfToken } from "../src/payments/sessions/frame-session.ts";
import type { Tx } from "../src/platform/storage/database.ts";
import { browser, cardNumbers, openCheckout, type Checkout } from "./setup/customer.ts";
import { expectError, invalid, missing, noRoute, type Refusal } from "./setup/expect-error.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());

const badSecret: Refusal = { status: 401, type: "authentication_error", code: "client_secret_invalid" };
const badToken: Refusal = { status: 401, type: "authentication_error", code: "frame_token_invalid" };

const withParts = (token: string, change: (parts: string[]) => string[]) => {
  const parts = token.split(".");
  return [...parts.slice(0, 2), ...change(parts)].join(".");
};
const changed = (signature: string) => `${signature.slice(0, -2)}${signature.endsWith("AA") ? "BA" : "AA"}`;
const proofOfOther = (await openCheckout(service)).token.replace(/.*\./, "");

const paymentOf = (response: ApiResponse) => response.body["payment"];

describe("opening the page", () => {
  it("returns a token, what to display, and what card encryption needs, but nothing that is private to the merchant", async () => {
    const more = { description: "Two cups", metadata: { note: "internal" }, customer: { reference: "internal" } };
    const checkout = await openCheckout(service, { ...more, allowed_origins: ["https://shop.example"] });
    expect(checkout.opened).toEqual({
      token: expect.any(String),
      session: {
        id: checkout.sessionId,
        livemode: false,
        status: "open",
        payment_status: "unpaid",
        mode: "payment",
        amount: 4900,
        currency: "eur",
        save_payment_method: false,
        submit_button: "built-in",
        merchant_name: "Test Shop",
        description: "Two cups",
        line_items: [],
        shipping_options: [],
        shipping_option: null,
        discounts: [],
        tax_amount: null,
        collect: { promotion_code: false },
        allowed_origins: ["https://shop.example"],
        return_url: null,
        cancel_url: null,
        expires_at: expect.any(Number),
        attempts_left: 5,
        payment_round: 0,
        version: 1,
      },
      now: expect.any(Number),
      received: null,
      encryption: {
        key: { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String), kid: expect.any(String) },
        nonce: expect.any(String),
      },
      payment: null,
    });
  });

  it("is refused with a wrong secret, with the same response as an unknown session", async () => {
    const [mine, other] = [await openCheckout(service), await openCheckout(service)];
    const open = (id: string, client_secret: unknown) =>
      service.frame("POST", `/frame/sessions/${id}/open`, { client_secret });
    const refusals = [
      await open(mine.sessionId, other.clientSecret),
      await open(mine.sessionId, mine.clientSecret.slice(0, -1)),
      await open(mine.sessionId, `${mine.clientSecret}A`),
      await open(mine.sessionId, mine.clientSecret.toUpperCase()),
      await open(mine.sessionId, service.secretKey),
      await open("cs_00000000000000000000000000", mine.clientSecret),
      await open("' or 1=1 --", mine.clientSecret),
    ];
    for (const response of refusals) expectError(response, badSecret);
    expect(new Set(refusals.map(({ text }) => text)).size).toBe(1);
    expectError(await open(mine.sessionId, ""), invalid("parameter_invalid", "client_secret"));
    expectError(await open(mine.sessionId, ["x"]), invalid("parameter_invalid", "client_secret"));
    expectError(
      await service.frame("POST", `/frame/sessions/${mine.sessionId}/open`, {}),
      invalid("parameter_missing", "client_secret"),
    );
  });

  it("can be repeated, for reloads and second tabs", async () => {
    const { sessionId, clientSecret } = await openCheckout(service);
    const again = await service.frame("POST", `/frame/sessions/${sessionId}/open`, { client_secret: clientSecret });
    expect(again.status).toBe(200);
    expect(again.headers["cache-control"]).toBe("no-store");
    expect(again.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("a token", () => {
  it.each<[string, (token: string) => string]>([
    ["changed in its session", (token) => token.replace(/^cs_./, "cs_1")],
    ["changed in its time", (token) => token.replace(/\.(\d+)\./, (_, time: string) => `.${Number(time) + 1}.`)],
    ["changed in its signature", (token) => withParts(token, ([, , signature = ""]) => [changed(signature)])],
    ["missing its signature", (token) => withParts(token, () => [""])],
    ["cut off", (token) => withParts(token, ([, , signature = ""]) => [signature.slice(0, -1)])],
    ["actually a secret key", () => service.secretKey],
    ["empty", () => ""],
  ])("is refused when it is %s", async (_name, change) => {
    const { token } = await openCheckout(service);
    const [method, path] = ["GET", "/frame/payments/dec_1"] as const;
    expectError(await service.frame(method, path, undefined, change(token)), badToken);
  });

  it.each<[string, (token: string) => string]>([
    ["changed", (token) => withParts(token, ([, , signature = "", proof = ""]) => [signature, changed(proof)])],
    ["empty", (token) => withParts(token, ([, , signature = ""]) => [signature, ""])],
    ["another session's", (token) => withParts(token, ([, , signature = ""]) => [signature, proofOfOther])],
  ])("can't start a payment when its proof is %s", async (_name, change) => {
    const { token, encrypt } = await openCheckout(service);
    const card = await encrypt(cardNumbers.approved);
    const body = { card, browser, challenge_window_size: "03", version: 1 };
    expectError(await service.frame("POST", "/frame/payments", body, change(token)), badToken);
    expect((await service.frame("POST", "/frame/payments", body, token)).status).toBe(200);
  });

  it("is required on every call except open", async () => {
    expectError(await service.frame("GET", "/frame/payments/dec_1"), badToken);
    for (const step of ["authenticate", "cancel"]) {
      expectError(await service.frame("POST", `/frame/payments/dec_1/${step}`, {}), badToken);
    }
  });

  it("can't access another session's payment", async () => {
    const [mine, other] = [await openCheckout(service), await openCheckout(service)];
    const id = String(paymentOf(await mine.pay(cardNumbers.frictionless))?.["id"]);
    expect((await mine.payment(id)).status).toBe(200);
    for (const response of [await other.payment(id), await other.authenticate(id), await other.cancel(id)])
      expectError(response, missing);
    expect(paymentOf(await mine.payment(id))).toMatchObject({ status: "three_ds" });
  });

  it("isn't an API key", async () => {
    const { token } = await openCheckout(service);
    const response = await service.call("GET", "/api/v1/charges", undefined, { authorization: `Bearer ${token}` });
    expectError(response, { status: 401, type: "authentication_error", code: "api_key_invalid" });
  });
});

describe("a replaced URL", () => {
  const replace = ({ sessionId }: Pick<Checkout, "sessionId">, headers = {}) =>
    service.call("POST", `/api/v1/checkout_sessions/${sessionId}/embed_url`, {}, headers);
  const open = ({ body }: ApiResponse) => {
    const { pathname, hash } = new URL(String(body["embed_url"]));
    return service.frame("POST", `/frame${pathname.replace("/c/", "/sessions/")}/open`, {
      client_secret: hash.slice(1),
    });
  };

  it("opens the same session, and the previous one no longer does", async () => {
    const checkout = await openCheckout(service);
    const [before, replaced] = [await checkout.session(), await replace(checkout)];
    expect(replaced.body["session"]).toEqual(before);
    expect((await open(replaced)).body["session"]).toMatchObject({ id: checkout.sessionId, amount: 4900 });
    expectError(await checkout.reopen(), badSecret);
    const latest = await replace(checkout);
    expectError(await open(replaced), badSecret);
    expect((await open(latest)).status).toBe(200);
  });

  it("is the same for a repeated request", async () => {
    const checkout = await openCheckout(service);
    const headers = { "idempotency-key": checkout.sessionId };
    const replaced = await replace(checkout, headers);
    expect((await replace(checkout, headers)).text).toBe(replaced.text);
    expect((await open(replaced)).status).toBe(200);
  });

  it.each([0, 1])(
    "keeps pages that were opened before from paying, even if they name round %i",
    async (payment_round) => {
      const checkout = await openCheckout(service);
      await replace(checkout);
      expectError(await checkout.pay(cardNumbers.approved, undefined, { payment_round }), badToken);
      expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "unpaid" });
      expect(
        await service.context.db
          .selectFrom("decision")
          .selectAll()
          .where("session_id", "=", checkout.sessionId)
          .execute(),
      ).toEqual([]);
    },
  );

  it("stops a payment whose token was read just before the replacement", async () => {
    const checkout = await openCheckout(service);
    const session = await sessionOfToken(service.context, checkout.token);
    await replace(checkout);
    const card = await checkout.encrypt(cardNumbers.approved);
    const request = { card, browser, challenge_window_size: "03", version: 1 } as const;
    await expect(
      startPayment(service.context, session, request, { ip: "127.0.0.1", userAgent: "test" }),
    ).rejects.toMatchObject({ code: "card_message_stale" });
  });

  it("can't be used to open the session by a request that was on its way", async () => {
    const checkout = await openCheckout(service);
    const { context } = service;
    const db = new Proxy(context.db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "transaction") return typeof value === "function" ? value.bind(target) : value;
        return () => ({
          async execute<T>(work: (tx: Tx) => Promise<T>) {
            const result = await target.transaction().execute(work);
            await replace(checkout);
            return result;
          },
        });
      },
    });
    const { sessionId, clientSecret } = checkout;
    await expect(openFrameSession({ ...context, db }, sessionId, clientSecret, randomUUID())).rejects.toMatchObject({
      code: "client_secret_invalid",
    });
  });

  it("leaves a payment in progress to the page that started it", async () => {
    const checkout = await openCheckout(service);
    const id = String(paymentOf(await checkout.pay(cardNumbers.frictionless))?.["id"]);
    const replaced = await replace(checkout);
    expect((await open(replaced)).body["payment"]).toMatchObject({ id, status: "three_ds" });
    await checkout.authenticate(id);
    await until("the payment to succeed", async () =>
      paymentOf(await checkout.payment(id))?.["status"] === ("succeeded" as unknown) ? true : null,
    );
    expect((await open(await replace(checkout))).body["payment"]).toMatchObject({ id, status: "succeeded" });
  });

  it("also stops pages of an earlier version, whose tokens have no proof, but not before the replacement", async () => {
    const checkout = await openCheckout(service);
    const [claim, expiry, signature] = checkout.token.split(".");
    const pay = async () => {
      const card = await checkout.encrypt(cardNumbers.declined);
      const body = { card, browser, challenge_window_size: "03", version: 1 };
      return await service.frame("POST", "/frame/payments", body, `${claim}.${expiry}.${signature}`);
    };
    expect((await pay()).status).toBe(200);
    await replace(checkout);
    expectError(await pay(), badToken);
  });

  it.each(["expire", "cancel"])("isn't issued after %s", async (verb) => {
    const checkout = await openCheckout(service);
    await service.call("POST", `/api/v1/checkout_sessions/${checkout.sessionId}/${verb}`, {});
    expectError(await replace(checkout), invalid("session_closed"));
    expect((await checkout.reopen()).status).toBe(200);
  });

  it("isn't issued once the session's time is up, or for an unknown session", async () => {
    const checkout = await openCheckout(service, { expires_after_minutes: 5 });
    service.moveClock(5 * 60_000);
    expectError(await replace(checkout), invalid("session_closed"));
    expectError(await replace({ sessionId: "cs_1" }), missing);
  });
});

describe("submit_button", () => {
  it("is returned to both the merchant and the page", async () => {
    const checkout = await openCheckout(service, { submit_button: "merchant" });
    expect(checkout.opened["session"]).toMatchObject({ submit_button: "merchant" });
    expect(await checkout.session()).toMatchObject({ submit_button: "merchant" });
    const own = await openCheckout(service, { submit_button: "built-in" });
    expect(own.opened["session"]).toMatchObject({ submit_button: "built-in" });
  });

  it.each(["Merchant", "built_in", "", null, true, ["merchant"]])("is refused when it is %j", async (submit_button) => {
    const order = { amount: 4900, currency: "eur", submit_button };
    expectError(
      await service.call("POST", "/api/v1/checkout_sessions", order),
      invalid("parameter_invalid", "submit_button"),
    );
  });
});

const shop = "https://shop.example";
const why = (id: string, origin = shop) =>
  service.frame("GET", `/frame/sessions/${id}/why?origin=${encodeURIComponent(origin)}`);

describe("the diagnosis of a silent iframe", () => {
  it("needs no token and returns only the session's status and whether this origin is listed", async () => {
    const { sessionId } = await openCheckout(service, {
      allowed_origins: [shop, "http://localhost:5173"],
      metadata: { a: "b" },
    });
    const response = await why(sessionId);
    expect(response.text).toBe('{"session":"open","listed":true}');
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(response.headers["access-control-allow-origin"]).toBeUndefined();
    expect((await why(sessionId, "http://localhost:5173")).body).toEqual({ session: "open", listed: true });
  });

  it.each([
    "https://shop.example.evil.example",
    "https://evil.example",
    "http://shop.example",
    "https://shop.example:8443",
    "https://www.shop.example",
    "https://SHOP.example",
    "https://shop.example.",
    "null",
    "file://",
    "capacitor://localhost",
  ])("says that %s isn't listed", async (origin) => {
    const { sessionId } = await openCheckout(service, { allowed_origins: [shop] });
    expect((await why(sessionId, origin)).body).toEqual({ session: "open", listed: false });
  });

  it("says that no origin is listed when the session lists none", async () => {
    const { sessionId } = await openCheckout(service);
    expect((await why(sessionId)).body).toEqual({ session: "open", listed: false });
  });

  it("reports an unknown or canceled session as invalid", async () => {
    const { sessionId } = await openCheckout(service, { allowed_origins: [shop] });
    await service.call("POST", `/api/v1/checkout_sessions/${sessionId}/cancel`, {});
    expect((await why(sessionId)).body).toEqual({ session: "invalid", listed: true });
    for (const id of ["cs_00000000000000000000000000", "x", "' or 1=1 --"]) {
      expect((await why(encodeURIComponent(id))).body).toEqual({ session: "invalid", listed: false });
    }
  });

  it("reports a complete session as open, because the page shows the outcome, and one without attempts left as expired", async () => {
    const paid = await openCheckout(service, { allowed_origins: [shop] });
    await paid.pay(cardNumbers.approved);
    expect(await paid.session()).toMatchObject({ status: "complete" });
    expect((await why(paid.sessionId)).body).toEqual({ session: "open", listed: true });
    const tried = await openCheckout(service, { allowed_origins: [shop] });
    for (let i = 0; i < 5; i++) await tried.pay(cardNumbers.declined);
    expect((await why(tried.sessionId)).body).toEqual({ session: "expired", listed: true });
  });

  it.each([
    ["", "parameter_missing"],
    ["?origin=", "parameter_invalid"],
    ["?origin=shop.example", "parameter_invalid"],
    ["?origin=https://shop.example/", "parameter_invalid"],
    ["?origin=https://shop.example/a", "parameter_invalid"],
    ["?origin=https://shop.example%3Fa", "parameter_invalid"],
    ["?origin=https://user@shop.example", "parameter_invalid"],
    ["?origin=https://shop.example%20x", "parameter_invalid"],
    ["?origin=https://shop.example%0Ax", "parameter_invalid"],
    ["?origin=*", "parameter_invalid"],
    ["?origin=https://a.example&origin=https://b.example", "parameter_invalid"],
    [`?origin=https://${"x".repeat(300)}`, "parameter_invalid"],
  ] as const)("is refused for the origin %j", async (query, code) => {
    const { sessionId } = await openCheckout(service);
    expectError(await service.frame("GET", `/frame/sessions/${sessionId}/why${query}`), invalid(code, "origin"));
  });

  it("is available only on the checkout's host and only with POST", async () => {
    const { sessionId } = await openCheckout(service);
    const path = `/frame/sessions/${sessionId}/why?origin=null`;
    expectError(await service.call("GET", path), noRoute);
    expectError(await service.frame("GET", `${path}&client_secret=x`), invalid("parameter_unknown", "client_secret"));
    expectError(await service.frame("POST", path, {}), invalid("method_not_allowed"));
  });
});

// The tests below move the clock.
describe("an expired session", () => {
  it("is reported as expired in the diagnosis, even before a sweep", async () => {
    const { sessionId } = await openCheckout(service, { expires_after_minutes: 5, allowed_origins: [shop] });
    service.moveClock(5 * 60_000);
    expect((await why(sessionId)).body).toEqual({ session: "expired", listed: true });
  });
});

describe("the service's time", () => {
  it("is returned with the session, because the customer's clock may be wrong", async () => {
    const before = service.context.now().getTime();
    const { opened } = await openCheckout(service, {});
    const now = opened["now"];
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(service.context.now().getTime());
  });
});

describe("a page left open for an hour after its session ended", () => {
  it("can no longer do anything", async () => {
    const checkout = await openCheckout(service, { expires_after_minutes: 5 });
    const id = String(paymentOf(await checkout.pay(cardNumbers.declined))?.["id"]);
    service.moveClock(65 * 60_000 - 5_000);
    expect((await checkout.payment(id)).status).toBe(200);
    service.moveClock(5_000);
    expectError(await checkout.payment(id), badToken);
    expectError(await checkout.pay("x"), badToken);
  });
});
