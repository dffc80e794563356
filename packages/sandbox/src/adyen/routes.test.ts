import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testCards, troubleCards } from "@oriel/protocol/test-cards";
import { amountRequest, merchantAccount, paymentRequest, reservation } from "../../test/adyen-client.ts";
import { createTestBank, post as postToBank } from "../../test/bank-client.ts";
import { createManualClock, type ManualClock } from "../../test/manual-clock.ts";
import { listenForWebhooks, type WebhookListener } from "../../test/webhook-listener.ts";

const apiKey = "adyen-test-key";
const hmacKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const card = testCards.visa;
const proof = {
  threeDSVersion: "2.2.0",
  dsTransID: "00000000-0000-4000-8000-000000000001",
  directoryResponse: "Y",
  eci: "05",
  cavv: "AAECAwQFBgcICQoLDA0ODxAREhM=",
};

let merchant: WebhookListener;
let clock: ManualClock;
let bank: FastifyInstance;
beforeEach(async () => {
  merchant = await listenForWebhooks();
  clock = createManualClock();
  const adyen = { apiKey, merchantAccount, webhook: { url: merchant.url, hmacKey } };
  bank = await createTestBank({ clock, adyen });
});
afterEach(async () => {
  await bank.close();
  await merchant.close();
});

function post(url: string, payload: object | string, headers: Record<string, string> = { "x-api-key": apiKey }) {
  return bank.inject({
    method: "POST",
    url: `/adyen${url}`,
    payload,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** Pays and returns the pspReference. */
const pay = async (request: object): Promise<string> => (await post("/v71/payments", request)).json().pspReference;

const ledger = async (reference: string) => {
  const url = `/adyen/control/ledger/${reference}`;
  return (await bank.inject({ method: "GET", url, headers: { "x-api-key": apiKey } })).json();
};

describe("Adyen's API", () => {
  it("exists only if it's configured", async () => {
    const plain = await createTestBank();
    const response = await plain.inject({
      method: "POST",
      url: "/adyen/v71/payments",
      headers: { "x-api-key": apiKey },
    });
    expect(response.statusCode).toBe(404);
    await plain.close();
  });

  it("leaves the bank's own API as it is", async () => {
    const response = await postToBank(bank, "/acquirer/captures", {});
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ error: { message: expect.any(String) } });
  });

  it.each([
    ["no key", {}],
    ["another key", { "x-api-key": `${apiKey}x` }],
    ["a bearer token", { authorization: `Bearer ${apiKey}` }],
  ])("refuses a request with %s", async (_name, headers: Record<string, string>) => {
    for (const path of ["/v71/payments", "/control/deliver"]) {
      const response = await post(path, "not JSON", headers);
      expect(response.statusCode).toBe(401);
      expect(response.json()).toMatchObject({ status: 401, errorCode: "000", errorType: "security" });
    }
  });

  it("authorises a payment, with a 16-character pspReference and the idempotency key", async () => {
    const response = await post("/v71/payments", paymentRequest(card), {
      "x-api-key": apiKey,
      "idempotency-key": "k1",
    });
    expect(response.statusCode).toBe(200);
    expect(response.headers["idempotency-key"]).toBe("k1");
    expect(response.json()).toMatchObject({
      resultCode: "Authorised",
      pspReference: expect.stringMatching(/^[0-9A-Z]{16}$/),
      merchantReference: "order-1",
    });
    expect(response.body).not.toContain(card);
    expect(response.body).not.toMatch(/\b(737|2040)\b/);
  });

  it.each([proof, { ...proof, directoryResponse: "C", authenticationResponse: "Y" }])(
    "accepts the result of 3-D Secure: %j",
    async (mpiData) => {
      const response = await post("/v71/payments", { ...paymentRequest(card), mpiData });
      expect(response.json()).toMatchObject({ resultCode: "Authorised" });
    },
  );

  it("returns the first response for the same key and refuses another body with 704", async () => {
    const headers = { "x-api-key": apiKey, "idempotency-key": "k1" };
    const first = await post("/v71/payments", paymentRequest(card), headers);
    expect((await post("/v71/payments", paymentRequest(card), headers)).json()).toEqual(first.json());
    const other = await post("/v71/payments", paymentRequest(card, { amount: { value: 1, currency: "EUR" } }), headers);
    expect(other.statusCode).toBe(422);
    expect(other.json()).toMatchObject({ status: 422, errorCode: "704", errorType: "validation" });
    expect((await ledger("order-1")).payments).toHaveLength(1);
  });

  it("accepts captures, refunds and cancels with 201 and `received`", async () => {
    const pspReference = await pay(reservation(card));
    for (const [path, body] of [
      [`/payments/${pspReference}/captures`, amountRequest(4900, { reference: "capture-1" })],
      [`/payments/${pspReference}/refunds`, amountRequest(4900)],
      [`/payments/${pspReference}/cancels`, { merchantAccount }],
      ["/cancels", { merchantAccount, paymentReference: "order-1" }],
    ] as const) {
      const response = await post(`/v71${path}`, body);
      expect(response.statusCode).toBe(201);
      expect(response.json()).toMatchObject({ status: "received", merchantAccount });
    }
    clock.advance(1_000);
    expect((await ledger("order-1")).balances).toEqual({ EUR: { reserved: 0, merchant: 0 } });
  });

  it.each([
    ["130", { reference: undefined }],
    ["14030", { returnUrl: undefined }],
    ["100", { amount: undefined }],
    ["702", { merchantAcount: merchantAccount }],
    ["702", { mpiData: { ...proof, dsTransId: proof.dsTransID } }],
    ["702", { mpiData: { ...proof, dsTransID: undefined } }],
    ["702", { mpiData: { ...proof, threeDSVersion: undefined } }],
    ["702", { mpiData: { ...proof, directoryResponse: undefined } }],
    ["702", { mpiData: { ...proof, directoryResponse: "C" } }],
    ["702", { mpiData: { ...proof, authenticationResponse: "Y" } }],
    ["702", { paymentMethod: { ...paymentRequest(card).paymentMethod, cvv: "737" } }],
    ["702", { paymentMethod: { ...paymentRequest(card).paymentMethod, expiryYear: 2040 } }],
    ["702", { amount: { value: "4900", currency: "EUR" } }],
    ["702", { amount: { value: -1, currency: "EUR" } }],
    ["702", { shopperReference: "ab" }],
    ["702", { authenticationData: { authenticationOnly: true } }],
    ["138", { amount: { value: 1, currency: "XXX" } }],
  ])("refuses an invalid payment with %s: %j", async (errorCode, changes: object) => {
    const response = await post("/v71/payments", { ...paymentRequest(card), ...changes });
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({ status: 422, errorCode, errorType: "validation" });
    expect(response.body).not.toContain(card);
    expect(response.body).not.toMatch(/\b(737|2040)\b/);
    expect((await ledger("order-1")).payments).toEqual([]);
  });

  it("refuses what isn't JSON and another merchant account", async () => {
    const unreadable = await post("/v71/payments", "{");
    expect(unreadable.statusCode).toBe(400);
    expect(unreadable.json()).toMatchObject({ status: 400, errorCode: "702" });
    const foreign = await post("/v71/payments", paymentRequest(card, { merchantAccount: "Other" }));
    expect(foreign.statusCode).toBe(403);
    expect(foreign.json()).toMatchObject({ status: 403, errorCode: "901", errorType: "security" });
  });

  it("lists payment methods, of its own merchant account only", async () => {
    const listed = await post("/v71/paymentMethods", { merchantAccount });
    expect({ status: listed.statusCode, body: listed.json() }).toEqual({
      status: 200,
      body: { paymentMethods: [{ name: "Cards", type: "scheme" }] },
    });
    expect((await post("/v71/paymentMethods", { merchantAccount: "Other" })).json()).toMatchObject({
      errorCode: "901",
    });
  });

  it("shows the faults of the bank's cards: the money moved, but the response comes late", async () => {
    const headers = { "x-api-key": apiKey, "idempotency-key": "k1" };
    const waiting = post("/v71/payments", paymentRequest(troubleCards.late), headers);
    await expect.poll(async () => (await ledger("order-1")).payments.length).toBe(1);
    clock.advance(60_000);
    expect((await waiting).json()).toMatchObject({ resultCode: "Authorised" });
  });
});

describe("the control routes", () => {
  it("deliver due notifications, dispute a payment and let a capture fail", async () => {
    const paymentPspReference = await pay(reservation(card));
    const capture = (await post(`/v71/payments/${paymentPspReference}/captures`, amountRequest(4900))).json();
    await post("/control/delays", { outcomeMs: 0, notificationMs: 0 });
    const amount = { value: 5000, currency: "USD" };
    const dispute = await post("/control/chargebacks", { paymentPspReference, eventCode: "CHARGEBACK", amount });
    expect(dispute.json()).toEqual({ disputePspReference: expect.stringMatching(/^[0-9A-Z]{16}$/) });
    clock.advance(2_000);
    const failed = await post("/control/fail", { pspReference: capture.pspReference, eventCode: "CAPTURE_FAILED" });
    expect(failed.statusCode).toBe(202);
    await expect
      .poll(() => post("/control/deliver", {}).then(() => merchant.events().toSorted()))
      .toEqual(["AUTHORISATION", "CAPTURE", "CAPTURE_FAILED", "CHARGEBACK"]);
    expect(await ledger("order-1")).toMatchObject({
      payments: [{ pspReference: paymentPspReference, modifications: [{ kind: "capture", state: "failed_later" }] }],
      balances: { EUR: { reserved: 0, merchant: 0 }, USD: { reserved: 0, merchant: -5000 } },
    });
  });

  it("decide a capture before its time, and only that", async () => {
    const pspReference = await pay(reservation(card));
    await post("/control/delays", { outcomeMs: 3_600_000, notificationMs: 0 });
    await post(`/v71/payments/${pspReference}/captures`, amountRequest(4900));
    clock.advance(1_000);
    const state = async () => (await ledger("order-1")).payments[0].modifications[0].state;
    expect(await state()).toBe("received");
    expect((await post("/control/decide", {})).statusCode).toBe(202);
    expect(await state()).toBe("done");
    clock.advance(1);
    await expect.poll(() => merchant.events().toSorted()).toEqual(["AUTHORISATION", "CAPTURE"]);
  });

  it("list all payments, oldest first", async () => {
    const first = await pay(reservation(card));
    const second = await pay(reservation(card));
    await post(`/v71/payments/${second}/captures`, amountRequest(100));
    const response = await bank.inject({
      method: "GET",
      url: "/adyen/control/payments",
      headers: { "x-api-key": apiKey },
    });
    expect(response.json()).toMatchObject({
      payments: [
        { pspReference: first, modifications: [] },
        { pspReference: second, modifications: [{ kind: "capture" }] },
      ],
    });
  });

  it("send notifications without a request", async () => {
    await pay(paymentRequest(card));
    clock.advance(1_000);
    await expect.poll(() => merchant.events()).toEqual(["AUTHORISATION"]);
  });

  it("refuse unknown references and events", async () => {
    const unknown = "UNKNOWN000000000";
    const responses = await Promise.all([
      post("/control/chargebacks", { paymentPspReference: unknown, eventCode: "CHARGEBACK" }),
      post("/control/chargebacks", { paymentPspReference: unknown, eventCode: "CAPTURE" }),
      post("/control/fail", { pspReference: unknown, eventCode: "CAPTURE_FAILED" }),
      post("/control/delays", { outcomeMs: -1 }),
    ]);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([404, 422, 404, 422]);
  });

  it("can't deliver without a webhook", async () => {
    const silent = await createTestBank({ adyen: { apiKey, merchantAccount } });
    const url = "/adyen/control/deliver";
    const response = await silent.inject({ method: "POST", url, headers: { "x-api-key": apiKey } });
    expect(response.statusCode).toBe(409);
    await silent.close();
  });
});
