import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import { listenLocally } from "../../../../../scripts/test/listen-locally.ts";
import { openForTests } from "../../../../../scripts/test/open-for-tests.ts";
import { authorization as sample } from "../../../test/authorization.ts";
import { noDetails, type Acquirer } from "../acquirer.ts";
import { InvalidReplyError, NoReplyError } from "../errors.ts";
import { createAdyenAcquirer, type AdyenOptions } from "./acquirer.ts";

/** A fake Adyen server. Each test sets how it responds. */
let respond: (response: ServerResponse) => void;
let calls: { path: string; apiKey: unknown; idempotencyKey: unknown; body: unknown }[];
const server = createServer((request: IncomingMessage, response) => {
  void (async () => {
    const { method, url: path, headers } = request;
    const body: unknown = JSON.parse(await text(request));
    calls.push({
      path: `${method} ${path}`,
      apiKey: headers["x-api-key"],
      idempotencyKey: headers["idempotency-key"],
      body,
    });
    respond(response);
  })();
});
const local = await openForTests(listenLocally(server));
const url = `${local.url}/v72`;
beforeEach(() => {
  calls = [];
});

const json = (status: number, body: unknown) => (response: ServerResponse) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const adyen = (changes: Partial<AdyenOptions<"test">> = {}) =>
  createAdyenAcquirer({
    mode: "test",
    url,
    apiKey: "secret-api-key",
    merchantAccount: "OrielTest",
    returnUrl: "https://shop.example/return",
    ...changes,
  });

const authorization = { ...sample, capture: false };
const later = {
  reference: "op_2",
  isRepeated: false,
  authorization: { reference: "att_1", acquirerId: "993617894903480A" },
};
const money = { ...later, amount: 2000, currency: "eur" };
const reversal = {
  reference: "rev_3",
  isRepeated: false,
  authorizationReference: "att_1",
  amount: 4900,
  currency: "eur",
};

/** Resolves an unknown outcome. */
function reverse({ unknownOutcome }: Acquirer, operation = reversal) {
  if (unknownOutcome.by !== "replay") throw new Error("Expected replay");
  return unknownOutcome.reverse(operation);
}

const authorised = {
  resultCode: "Authorised",
  pspReference: "993617894903480A",
  merchantReference: "att_1",
  amount: { value: 4900, currency: "EUR" },
};
const received = { merchantAccount: "OrielTest", pspReference: "993617894906488A", status: "received" };
const ofPayment = { ...received, reference: "op_2", paymentPspReference: "993617894903480A" };
const message = "4242424242424242 isn't a card number.";
const rejected = { status: 422, errorCode: "14_030", errorType: "validation", message };
const pending = { status: "pending", details: { ...noDetails, acquirerId: "993617894906488A" } };

/** Each operation with the path, key and body that it sends, and a response that fits. */
const operations: [string, (acquirer: Acquirer) => Promise<unknown>, string, string, object, unknown, object][] = [
  [
    "authorize",
    (acquirer) => acquirer.authorize(authorization),
    "POST /v72/payments",
    "att_1",
    { merchantAccount: "OrielTest", reference: "att_1", amount: { value: 4900, currency: "EUR" } },
    authorised,
    { status: "approved", details: { ...noDetails, acquirerId: "993617894903480A" } },
  ],
  [
    "capture",
    (acquirer) => acquirer.capture(money),
    "POST /v72/payments/993617894903480A/captures",
    "op_2",
    { merchantAccount: "OrielTest", reference: "op_2", amount: { value: 2000, currency: "EUR" } },
    { ...ofPayment, amount: { value: 2000, currency: "EUR" } },
    pending,
  ],
  [
    "refund",
    (acquirer) => acquirer.refund(money),
    "POST /v72/payments/993617894903480A/refunds",
    "op_2",
    { merchantAccount: "OrielTest", reference: "op_2", amount: { value: 2000, currency: "EUR" } },
    { ...ofPayment, amount: { value: 2000, currency: "EUR" } },
    pending,
  ],
  [
    "cancelOrRefund",
    (acquirer) => acquirer.cancelOrRefund(money),
    "POST /v72/payments/993617894903480A/reversals",
    "op_2",
    { merchantAccount: "OrielTest", reference: "op_2" },
    ofPayment,
    pending,
  ],
  [
    "cancel",
    (acquirer) => acquirer.cancel(later),
    "POST /v72/payments/993617894903480A/cancels",
    "op_2",
    { merchantAccount: "OrielTest", reference: "op_2" },
    ofPayment,
    pending,
  ],
  [
    "reverse",
    reverse,
    "POST /v72/cancels",
    "rev_3",
    { merchantAccount: "OrielTest", reference: "rev_3", paymentReference: "att_1" },
    { ...received, reference: "rev_3", paymentReference: "att_1" },
    pending,
  ],
];
const all = operations.map(([name, run]) => [name, run] as const);

/** Expects an unknown outcome, and an error that contains nothing that was sent. */
async function expectUnknown(outcome: Promise<unknown>, kind: typeof NoReplyError | typeof InvalidReplyError) {
  const error = await outcome.then(
    () => new Error("Expected an error"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(kind);
  const shown = `${(error as Error).stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
  for (const secret of ["4242", "9173", "2030", "secret"])
    expect(shown.replaceAll(/:\d+:\d+/g, "")).not.toContain(secret);
  return error as Error;
}

describe("an operation at Adyen", () => {
  it.each(operations)(
    "%s sends the request with the API key and the reference as its key",
    async (_name, run, path, idempotencyKey, body, reply, expected) => {
      respond = json(path.endsWith("/payments") ? 200 : 201, reply);
      expect(await run(adyen())).toEqual(expected);
      expect(calls).toEqual([{ path, apiKey: "secret-api-key", idempotencyKey, body: expect.objectContaining(body) }]);
    },
  );

  it.each(all)("%s has an unknown outcome if Adyen is silent", async (_name, run) => {
    for (const react of [
      json(503, { status: 503, errorCode: "703" }),
      (response: ServerResponse) => void response.destroy(),
    ]) {
      respond = react;
      await expectUnknown(run(adyen()), NoReplyError);
    }
    respond = () => {};
    await expectUnknown(run(adyen({ moneyTimeoutMs: 50 })), NoReplyError);
  });

  it.each(all)("%s has an unknown outcome while the same request is in progress", async (_name, run) => {
    for (const status of [409, 422])
      for (const errorCode of ["704", 704]) {
        respond = json(status, { status, errorCode, errorType: "validation", message: "in progress" });
        const error = await expectUnknown(run(adyen()), InvalidReplyError);
        expect(error.message).toContain("704");
      }
  });

  it.each(all)("%s is declined if Adyen rejects the request as invalid", async (_name, run) => {
    for (const status of [400, 422]) {
      respond = json(status, { ...rejected, status, pspReference: "8816118280275544" });
      expect(await run(adyen())).toEqual({
        status: "declined",
        declineCode: "processing_error",
        details: { ...noDetails, acquirerId: "8816118280275544", refusal: { code: "14_030", reason: null } },
      });
    }
  });

  it.each<[unknown, string]>([
    ["101", "101"],
    ["167", "167"],
    ["14_018", "14_018"],
    [14030, "14030"],
    [167, "167"],
  ])("is declined with the error code %j, without an ID of Adyen's", async (errorCode, code) => {
    respond = json(422, { ...rejected, errorCode });
    const details = { ...noDetails, refusal: { code, reason: null } };
    for (const [, run] of all)
      expect(await run(adyen())).toEqual({ status: "declined", declineCode: "processing_error", details });
  });

  it("has an unknown outcome if Adyen rejects a repeated request as invalid", async () => {
    respond = json(422, rejected);
    const { authorize, capture, cancel, refund, cancelOrRefund, unknownOutcome } = adyen();
    const again = { isRepeated: true };
    await expectUnknown(authorize({ ...authorization, ...again }), InvalidReplyError);
    for (const run of [capture, cancel, refund, cancelOrRefund])
      await expectUnknown(run({ ...money, ...again }), InvalidReplyError);
    await expectUnknown(reverse({ ...adyen(), unknownOutcome }, { ...reversal, ...again }), InvalidReplyError);
  });

  it("accepts the first response to a reversal that an earlier version sent as a refund", async () => {
    respond = json(201, { ...ofPayment, amount: { value: 2000, currency: "EUR" } });
    expect(await adyen().cancelOrRefund({ ...money, isRepeated: true })).toEqual(pending);
  });

  it("isn't sent for another merchant account", async () => {
    respond = json(200, authorised);
    await expect(adyen().authorize({ ...authorization, merchantId: "Other" })).rejects.toThrow(RangeError);
    expect(calls).toEqual([]);
    expect(await adyen().authorize({ ...authorization, merchantId: "OrielTest" })).toMatchObject({
      status: "approved",
    });
  });

  it.each(["0", "000", 0, "10", "010", 10, "901", 901])(
    "has an unknown outcome after the validation error %j, which may be about the account",
    async (errorCode) => {
      respond = json(422, { ...rejected, errorCode });
      for (const [, run] of all) await expectUnknown(run(adyen()), InvalidReplyError);
    },
  );

  it.each<[string, number, unknown]>([
    ["the API key is wrong", 401, { status: 401, errorCode: "000", errorType: "security" }],
    ["the merchant account is wrong", 403, { status: 403, errorCode: "901", errorType: "security" }],
    ["the account isn't configured", 422, { ...rejected, errorCode: "905", errorType: "configuration" }],
    ["an invalid request has no error code", 422, { ...rejected, errorCode: undefined }],
    ["the error code is the card number", 422, { ...rejected, errorCode: "4242424242424242" }],
    ["the error code is the card number as a number", 422, { ...rejected, errorCode: 4242424242424242 }],
    ["the error code isn't a whole number", 422, { ...rejected, errorCode: 101.5 }],
    ["the error code is in an array", 422, { ...rejected, errorCode: ["101"] }],
    ["an invalid request has no error type", 422, { ...rejected, errorType: undefined }],
    ["an error has another format", 422, { type: "https://adyen.example", errorCode: "00_422", detail: message }],
    ["a refusal has the status of an error", 422, { ...authorised, ...ofPayment, resultCode: "Refused" }],
    ["a proxy rejects the request", 400, undefined],
    ["a proxy asks for a password", 401, undefined],
    ["a proxy denies access", 403, message],
    ["the path is wrong", 404, { ...rejected, status: 404 }],
    ["there are too many requests", 429, { ...rejected, status: 429 }],
    ["Adyen fails", 500, { ...rejected, status: 500 }],
    ["an invalid request has the status of a failure", 500, { ...rejected, status: 500, errorCode: "702" }],
    ["Adyen fails without a body", 500, undefined],
  ])("has an unknown outcome if %s", async (_name, status, body) => {
    respond = json(status, body);
    for (const [, run] of all) {
      const error = await expectUnknown(run(adyen()), InvalidReplyError);
      expect(error.message).toContain(`HTTP ${status}`);
    }
  });

  it.each(all)(
    "%s has an unknown outcome if the response is empty, HTML, an error or about another operation",
    async (_name, run) => {
      for (const text of ["", "<html>4242424242424242</html>", JSON.stringify(rejected)]) {
        respond = (response) => void response.end(text);
        await expectUnknown(run(adyen()), InvalidReplyError);
      }
      respond = json(200, { ...authorised, ...received, merchantReference: "att_9", reference: "op_9" });
      await expectUnknown(run(adyen()), InvalidReplyError);
    },
  );

  it("is declined without a request if Adyen can't express the amount", async () => {
    respond = json(500, {});
    const declined = { status: "declined", declineCode: "currency_not_supported", details: noDetails };
    const rupiah = { amount: 15050, currency: "idr" };
    expect(await adyen().authorize({ ...authorization, ...rupiah })).toEqual(declined);
    expect(await adyen().capture({ ...money, ...rupiah })).toEqual(declined);
    expect(await adyen().refund({ ...money, amount: 100, currency: "bif" })).toEqual(declined);
    expect(calls).toEqual([]);
  });

  it("sends amounts in Adyen's unit", async () => {
    respond = json(200, { ...authorised, amount: { value: 150, currency: "IDR" } });
    const reply = await adyen().authorize({ ...authorization, amount: 15000, currency: "idr" });
    expect(reply.status).toBe("approved");
    expect(calls).toMatchObject([{ body: { amount: { value: 150, currency: "IDR" } } }]);
  });

  it("is sent again with the same key and body", async () => {
    respond = (response) => void response.destroy();
    await expectUnknown(adyen().authorize(authorization), NoReplyError);
    respond = json(200, authorised);
    expect(await adyen().authorize(authorization)).toMatchObject({ status: "approved" });
    expect(calls).toHaveLength(2);
    expect(calls[1]).toEqual(calls[0]);
  });

  it("isn't sent with a reference that's too long for an idempotency key", async () => {
    respond = json(200, authorised);
    const reference = "a".repeat(65);
    await expect(adyen().authorize({ ...authorization, reference })).rejects.toThrow(RangeError);
    await expect(adyen().refund({ ...money, reference })).rejects.toThrow(RangeError);
    expect(calls).toEqual([]);
  });

  it("isn't sent for an authorization without Adyen's ID", async () => {
    respond = json(200, ofPayment);
    const authorization = { reference: "att_1", acquirerId: null };
    for (const run of [adyen().capture, adyen().refund, adyen().cancel])
      await expect(run({ ...money, authorization })).rejects.toThrow(RangeError);
    expect(calls).toEqual([]);
  });

  it("is passed to the observer by its kind", async () => {
    const seen: string[] = [];
    const observed = adyen({
      observe: async (request, run) => {
        seen.push(request);
        return await run();
      },
    });
    respond = json(422, rejected);
    for (const [, run] of all) await run(observed);
    expect(seen).toEqual(["authorize", "capture", "refund", "refund", "cancel", "cancel"]);
  });
});

describe("what Adyen supports", () => {
  it("notifies about everything but authorizations, and resolves unknown outcomes by replay", () => {
    const { mode, capabilities, unknownOutcome } = adyen();
    expect(mode).toBe("test");
    expect(capabilities).toMatchObject({ captures: "notified", cancels: "notified", refunds: "notified" });
    expect(capabilities).toMatchObject({ multiplePartialCaptures: false, partialApproval: false, storedCards: true });
    expect(unknownOutcome).toMatchObject({ by: "replay", safeForMs: 604_800_000 });
  });

  it("supports several captures if they're enabled for the account", () => {
    expect(adyen({ multiplePartialCaptures: true }).capabilities.multiplePartialCaptures).toBe(true);
    expect([true, false].map((more) => adyen({ multiplePartialCaptures: more }).capabilities.cancelsOrRefunds)).toEqual(
      [false, true],
    );
  });

  it("converts amounts", () => {
    const { toVendorAmount } = adyen().capabilities;
    expect(toVendorAmount({ amount: 10, currency: "clp" })).toBe(1000);
    expect(toVendorAmount({ amount: 10, currency: "mru" })).toBeNull();
  });
});
