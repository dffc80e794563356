import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Authorization } from "@oriel/protocol/acquirer";
import { apiKey, areqFor, cardRequest, createTestBank, get, post } from "../../test/bank-client.ts";
import { createManualClock } from "../../test/manual-clock.ts";

const address = "/acquirer/authorizations";

let bank: FastifyInstance;
beforeEach(async () => {
  bank = await createTestBank();
});
afterEach(() => bank.close());

const ledger = async (of = bank): Promise<Authorization[]> => (await get(of, address)).json().authorizations;

describe("an authorization", () => {
  test("of a valid card is approved and captured, and shows the last four digits", async () => {
    const request = cardRequest("4242424242424242");
    const response = await post(bank, address, request);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      reference: request.reference,
      status: "approved",
      amount: 4900,
      currency: "eur",
      captured: true,
      amount_captured: 4900,
      amount_refunded: 0,
      canceled: false,
      authorization_id: expect.stringMatching(/^bank_/),
      authorization_code: expect.stringMatching(/^[A-Z]{6}$/),
      cvc_result: "M",
      network_transaction_id: expect.stringMatching(/^[A-Z]{15}$/),
      card: { last4: "4242" },
      authenticated: false,
      requests: 1,
      created: expect.any(Number),
    });
  });

  test("shows the network that the cardholder chose and refuses another network under the same reference", async () => {
    const request = cardRequest("4000002500001001", { network: "cartes_bancaires" });
    expect((await post(bank, address, request)).json()).toMatchObject({
      status: "approved",
      network: "cartes_bancaires",
    });
    expect((await post(bank, address, request)).json()).toMatchObject({ network: "cartes_bancaires", requests: 2 });
    expect((await post(bank, address, { ...request, network: "visa" })).statusCode).toBe(409);
    expect((await post(bank, address, { ...request, network: undefined })).statusCode).toBe(409);
    expect(await ledger()).toMatchObject([{ network: "cartes_bancaires", requests: 2 }]);
  });

  test("is refused for an unknown network", async () => {
    expect((await post(bank, address, { ...cardRequest("4000002500001001"), network: "amex" })).statusCode).toBe(400);
    expect(await ledger()).toEqual([]);
  });

  test("is approved and not captured when `capture` is false", async () => {
    const response = await post(bank, address, cardRequest("4242424242424242", { capture: false }));
    expect(response.json()).toMatchObject({ status: "approved", captured: false, amount_captured: 0 });
  });

  test("of amount 0 without capture verifies the card", async () => {
    const verify = (number: string) => post(bank, address, cardRequest(number, { amount: 0, capture: false }));
    expect((await verify("4242424242424242")).json()).toMatchObject({ status: "approved", amount: 0, captured: false });
    expect((await verify("4000000000009979")).json()).toMatchObject({
      status: "declined",
      decline_code: "stolen_card",
    });
  });

  test.each([
    ["4000000000000002", "generic_decline"],
    ["4000000000001166", "transaction_not_allowed"],
    ["4000000000000010", "incorrect_number"],
  ])("of %s is declined with %s and captures nothing", async (number, code) => {
    const response = await post(bank, address, cardRequest(number));
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      status: "declined",
      decline_code: code,
      captured: false,
      amount_captured: 0,
    });
  });

  test("of an expired card is declined with expired_card", async () => {
    const later = await createTestBank({ clock: createManualClock(Date.UTC(2041, 2, 1)) });
    const response = await post(later, address, cardRequest("4242424242424242"));
    expect(response.json()).toMatchObject({ status: "declined", decline_code: "expired_card" });
    await later.close();
  });
});

describe("proof of authentication", () => {
  const authenticate = async () => (await post(bank, "/directory-server", areqFor("4000000032200000"))).json();

  test("is accepted if the bank issued it for this card", async () => {
    const { eci, authenticationValue, dsTransID } = await authenticate();
    const proof = { eci, authentication_value: authenticationValue, ds_trans_id: dsTransID };
    const response = await post(bank, address, cardRequest("4000000032200000", { three_d_secure: proof }));
    expect(response.json()).toMatchObject({ status: "approved", authenticated: true });
  });

  test("is ignored if it's missing, invented, or for another card or authentication", async () => {
    const { authenticationValue, dsTransID } = await authenticate();
    const other = await authenticate();
    const proofs = [
      ["4242424242424242", { eci: "05", authentication_value: authenticationValue, ds_trans_id: dsTransID }],
      ["4000000032200000", { eci: "05", authentication_value: authenticationValue, ds_trans_id: other.dsTransID }],
      ["4000000032200000", { eci: "05", authentication_value: "AAABBZEEBgAAAAAAAAQGAAAAAAA=", ds_trans_id: dsTransID }],
      ["4000000032200000", { eci: "05", ds_trans_id: dsTransID }],
    ] as const;
    for (const [number, proof] of proofs) {
      const response = await post(bank, address, cardRequest(number, { three_d_secure: proof }));
      expect(response.json()).toMatchObject({ status: "approved", authenticated: false });
    }
  });
});

describe("an authorization's reference", () => {
  test("moves money once and gets the same response when it's sent again", async () => {
    const request = cardRequest("4242424242424242");
    const first = (await post(bank, address, request)).json();
    const second = (await post(bank, address, request)).json();
    expect(second).toEqual({ ...first, requests: 2 });
    expect(await ledger()).toEqual([second]);
  });

  test("has only one authorization after fifty concurrent requests", async () => {
    const request = cardRequest("4242424242424242");
    const responses = await Promise.all(Array.from({ length: 50 }, () => post(bank, address, request)));
    expect(new Set(responses.map((response) => response.json().authorization_id)).size).toBe(1);
    expect(await ledger()).toMatchObject([{ reference: request.reference, requests: 50 }]);
  });

  test.each<[string, (request: ReturnType<typeof cardRequest>) => object]>([
    ["amount", (request) => ({ ...request, amount: 4901 })],
    ["currency", (request) => ({ ...request, currency: "usd" })],
    ["capture", (request) => ({ ...request, capture: false })],
    ["card", (request) => ({ ...request, card: { ...request.card, number: "5555555555554444" } })],
    ["expiry", (request) => ({ ...request, card: { ...request.card, exp_month: 11 } })],
    ["proof", (request) => ({ ...request, three_d_secure: { eci: "05", ds_trans_id: "d1" } })],
  ])("gets 409 with a different %s and changes nothing", async (_what, change) => {
    const request = cardRequest("4242424242424242");
    await post(bank, address, request);
    const response = await post(bank, address, change(request));
    expect(response.statusCode).toBe(409);
    expect(response.json().error.message).toContain("reference");
    expect(await ledger()).toMatchObject([{ reference: request.reference, amount: 4900, requests: 1 }]);
  });

  test("matches a retry without the CVC, which nobody may store", async () => {
    const request = cardRequest("4242424242424242");
    await post(bank, address, request);
    const { cvc: _erased, ...card } = request.card;
    const response = await post(bank, address, { ...request, card });
    expect(response.json()).toMatchObject({ status: "approved", requests: 2 });
  });

  test("can be looked up, and gets 404 if it's unknown", async () => {
    const request = cardRequest("4000000000009995");
    const made = (await post(bank, address, request)).json();
    expect((await get(bank, `${address}/${request.reference}`)).json()).toEqual(made);
    const unknown = await get(bank, `${address}/never-sent`);
    expect(unknown.statusCode).toBe(404);
    expect(unknown.json().error.message).toBeTypeOf("string");
  });
});

describe("an authorization request is refused", () => {
  test.each([null, "wrong", `${apiKey}x`, apiKey.slice(0, -1)])(
    "with the key %s, before its body is read",
    async (key) => {
      for (const response of [
        await post(bank, address, "{ not json", key),
        await get(bank, address, key),
        await get(bank, `${address}/any`, key),
        await post(bank, "/directory-server", "{ not json", key),
        await get(bank, "/directory-server/authentications", key),
      ]) {
        expect(response.statusCode).toBe(401);
        expect(response.json()).toEqual({ error: { message: expect.stringContaining("Bearer") } });
      }
    },
  );

  const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "737" };
  test.each<[string, object]>([
    ["an amount as a string", { amount: "4900" }],
    ["a fractional amount", { amount: 49.5 }],
    ["a captured amount of 0", { amount: 0 }],
    ["a negative amount", { amount: -1, capture: false }],
    ["a thirteen-digit amount", { amount: 1_000_000_000_000 }],
    ["a null amount", { amount: null }],
    ["an unknown currency", { currency: "xts" }],
    ["a currency in capital letters", { currency: "EUR" }],
    ["`capture` as a string", { capture: "true" }],
    ["an unknown field", { tip: 5 }],
    ["an unknown field in the card", { card: { ...card, pin: "0000" } }],
    ["a card number with spaces", { card: { ...card, number: "4242 4242 4242 4242" } }],
    ["a month as a string", { card: { ...card, exp_month: "12" } }],
    ["a thirteenth month", { card: { ...card, exp_month: 13 } }],
    ["a two-digit year", { card: { ...card, exp_year: 40 } }],
    ["a CVC of five digits", { card: { ...card, cvc: "73737" } }],
    ["no card", { card: undefined }],
    ["an empty reference", { reference: "" }],
    ["a reference with a slash", { reference: "a/b" }],
  ])("with %s, by a message without card data, and nothing is recorded", async (_what, change) => {
    const response = await post(bank, address, { ...cardRequest("4242424242424242"), ...change });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ error: { message: expect.any(String) } });
    expect(response.body).not.toMatch(/4242|737/);
    expect(await ledger()).toEqual([]);
  });

  test("if it's broken JSON, a form or too large, without its contents being repeated", async () => {
    const broken = await post(bank, address, '{"number": 4242424242424242');
    expect(broken.statusCode).toBe(400);
    expect(broken.body).not.toContain("4242");
    const huge = await post(bank, address, JSON.stringify({ reference: "4".repeat(70_000) }));
    expect(huge.statusCode).toBe(413);
    const form = await bank.inject({
      method: "POST",
      url: address,
      payload: "number=4242424242424242",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/x-www-form-urlencoded" },
    });
    expect(form.statusCode).toBe(415);
    expect(form.body).not.toContain("4242");
  });
});
