/**
 * Sends forged card messages to the running service. Each is refused with the same error, which doesn't give a reason.
 * None reaches the acquirer, and none uses up the nonce of the genuine message, which is accepted afterwards.
 *
 * Two refusals use a different error because the page must act on them: a message that was already used, and one that
 * is too old or uses a replaced key. Both return `card_message_stale`, and the response includes what a new message
 * needs.
 */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { cardNumbers, openCheckout, type Checkout } from "./setup/customer.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
import { storedCards } from "./setup/vault-counts.ts";

const service = await openForTests(startTestService());

/** Returns a refusal without its request ID, so that refusals can be compared. */
function shown({ status, body }: ApiResponse): object {
  const { request_id: _id, ...error } = body["error"] as Record<string, Json>; // an error's body
  const others = Object.keys(body).filter((name) => name !== "error");
  return { status, error, others };
}

const base64url = (text: string) => Buffer.from(text).toString("base64url");

async function withHeader(checkout: Checkout, header: object): Promise<string> {
  const [, ...parts] = (await checkout.encrypt(cardNumbers.approved)).split(".");
  return [base64url(JSON.stringify({ enc: "A256GCM", ...header })), ...parts].join(".");
}

const forgeries: [string, (checkout: Checkout) => Promise<string>][] = [
  ["RSA1_5", (checkout) => withHeader(checkout, { alg: "RSA1_5" })],
  ["an encryption key of their own", (checkout) => withHeader(checkout, { alg: "dir" })],
  [
    "four billion key derivation rounds",
    (checkout) => withHeader(checkout, { alg: "PBES2-HS512+A256KW", p2c: 2 ** 32, p2s: "AAAA" }),
  ],
  ["a weaker cipher", (checkout) => checkout.encrypt(cardNumbers.approved, { header: { enc: "A128GCM" } })],
  ["compression", (checkout) => checkout.encrypt(cardNumbers.approved, { header: { zip: "DEF" } })],
  ["an extension", (checkout) => withHeader(checkout, { alg: "ECDH-ES+A256KW", crit: ["exp"], exp: 1 })],
  [
    "another session's ID",
    (checkout) => checkout.encrypt(cardNumbers.approved, { claims: { session_id: "cs_other" } }),
  ],
  ["an invalid nonce", (checkout) => checkout.encrypt(cardNumbers.approved, { claims: { nonce: "1.2.3" } })],
  ["no nonce", (checkout) => checkout.encrypt(cardNumbers.approved, { claims: { nonce: undefined } })],
  [
    "a flipped bit",
    async (checkout) =>
      (await checkout.encrypt(cardNumbers.approved)).replace(/.$/, (end) => (end === "A" ? "Q" : "A")),
  ],
  ["noise", () => Promise.resolve([1, 2, 3, 4, 5].map(() => randomBytes(40).toString("base64url")).join("."))],
  ["text", () => Promise.resolve("4242424242424242x")],
];

describe("a message that the page didn't create", () => {
  it.each(forgeries)(
    "is refused when it has %s, and the genuine message is accepted afterwards",
    async (_how, forge) => {
      const checkout = await openCheckout(service);
      const before = (await service.bankAuthorizations()).length;
      const honest = await checkout.encrypt(cardNumbers.approved);
      const refused = await checkout.pay(await forge(checkout));
      expect(shown(refused)).toEqual({
        status: 400,
        error: {
          type: "invalid_request_error",
          code: "card_message_invalid",
          param: "card",
          message: expect.any(String),
        },
        others: [],
      });
      expect(await checkout.session()).toMatchObject({ attempts_left: 5, payment_status: "unpaid" });
      expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
      expect((await service.bankAuthorizations()).length).toBe(before);
      expect((await checkout.pay(honest)).body).toMatchObject({ payment: { status: "succeeded" } });
      expect((await service.bankAuthorizations()).length).toBe(before + 1);
    },
  );

  it("gets the same response for every kind of forgery", async () => {
    const checkout = await openCheckout(service);
    const responses = new Set<string>();
    for (const [, forge] of forgeries) responses.add(JSON.stringify(shown(await checkout.pay(await forge(checkout)))));
    const other = await openCheckout(service);
    responses.add(JSON.stringify(shown(await checkout.pay(await other.encrypt(cardNumbers.approved)))));
    expect(responses.size).toBe(1);
    expect(service.log.join("\n")).not.toContain(cardNumbers.approved);
  });

  it("is refused without being read when it is larger than 8 kB", async () => {
    const checkout = await openCheckout(service);
    const { status, body } = await checkout.pay(`${await checkout.encrypt(cardNumbers.approved)}${"A".repeat(8192)}`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { code: "parameter_invalid", param: "card" } },
    });
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
  });
});

describe("a message that was valid before", () => {
  it("is refused in another session, on reuse and after ten minutes, and a new one with the returned values is accepted", async () => {
    const [checkout, other] = [await openCheckout(service), await openCheckout(service)];
    const message = await checkout.encrypt(cardNumbers.declined);
    expect((await checkout.pay(message)).body).toMatchObject({ payment: { status: "declined" } });
    const before = (await service.bankAuthorizations()).length;
    expect((await other.pay(message)).body).toMatchObject({ error: { code: "card_message_invalid" } });
    expect((await checkout.pay(message)).body).toMatchObject({ error: { code: "card_message_stale" } });

    const late = await checkout.encrypt(cardNumbers.approved);
    service.moveClock(10 * 60_000);
    expect((await checkout.pay(late)).body).toMatchObject({ error: { code: "card_message_stale" } });
    expect((await service.bankAuthorizations()).length).toBe(before);
    // `encrypt` uses the values returned with the last error.
    expect((await checkout.pay(await checkout.encrypt(cardNumbers.approved))).body).toMatchObject({
      payment: { status: "succeeded" },
    });
  });
});
