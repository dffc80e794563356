import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createNotificationReader } from "./notifications.ts";

/** The example in the tests of Adyen's Node.js library. */
const key = "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00";
const example = {
  pspReference: "pspReference",
  originalReference: "originalReference",
  merchantAccountCode: "merchantAccount",
  merchantReference: "reference",
  amount: { currency: "EUR", value: 1000 },
  eventCode: "REPORT_AVAILABLE",
  success: "true",
  additionalData: { hmacSignature: "ZNBPtI+oDyyRrLyD1XirkKnQgIAlFc07Vj27TeHsDRE=" },
};
const otherKey = "11223344D785FBAE710E7F943F307971BB61B21281C98C9129B3D4018A57B2EB";

const options = { mode: "test", merchantAccount: "merchantAccount", hmacKeys: [key] } as const;
const read = (item: unknown, live: unknown = "false", changes = {}) =>
  createNotificationReader({ ...options, ...changes })({
    live,
    notificationItems: [{ NotificationRequestItem: item }],
  });

/** Signs over a text that the test writes out, so that it doesn't depend on the code under test. */
const sign = (text: string, hexKey = key) =>
  createHmac("sha256", Buffer.from(hexKey, "hex")).update(text).digest("base64");
const captured = {
  ...example,
  pspReference: "QFQTPCQ8HXSKGK82",
  originalReference: "9913140798220028",
  eventCode: "CAPTURE",
  additionalData: {
    hmacSignature: sign("QFQTPCQ8HXSKGK82:9913140798220028:merchantAccount:reference:1000:EUR:CAPTURE:true"),
  },
};

describe("createNotificationReader", () => {
  it("accepts the signature in Adyen's example", () => {
    expect(read(example)).toEqual([
      {
        id: "pspReference:REPORT_AVAILABLE:true",
        name: "REPORT_AVAILABLE",
        signed: {
          pspReference: "pspReference",
          originalReference: "originalReference",
          merchantAccountCode: "merchantAccount",
          merchantReference: "reference",
          value: 1000,
          currency: "EUR",
          eventCode: "REPORT_AVAILABLE",
          success: true,
        },
        unsigned: { eventDate: null, reason: null, authorization: null, dispute: null },
        event: {
          type: "unknown",
          acquirerId: "pspReference",
          authorizationId: "originalReference",
          reference: "reference",
          money: { amount: 1000, currency: "eur" },
        },
      },
    ]);
  });

  it("reads a capture", () => {
    expect(read(captured)).toMatchObject([
      { event: { type: "captured", acquirerId: "QFQTPCQ8HXSKGK82", money: { amount: 1000, currency: "eur" } } },
    ]);
  });

  it("tells a repeated capture apart from the first one and its copies, by the reason", () => {
    const idOf = (reason?: string) => read({ ...captured, reason })?.map((item) => "id" in item && item.id);
    const first = ["QFQTPCQ8HXSKGK82:CAPTURE:true"];
    for (const reason of [undefined, "", "Some other text"]) expect(idOf(reason)).toEqual(first);
    for (const reason of ["Transaction Recaptured", "Transaction Auto-recaptured"])
      expect(idOf(reason)).toEqual(["QFQTPCQ8HXSKGK82:CAPTURE:true:repeated"]);
  });

  it.each<[string, object]>([
    ["pspReference", { pspReference: "QFQTPCQ8HXSKGK83" }],
    ["originalReference", { originalReference: "9913140798220029" }],
    ["absent originalReference", { originalReference: undefined }],
    ["merchantAccountCode", { merchantAccountCode: "otherAccount" }],
    ["merchantReference", { merchantReference: "reference2" }],
    ["value", { amount: { currency: "EUR", value: 1001 } }],
    ["currency", { amount: { currency: "USD", value: 1000 } }],
    ["eventCode", { eventCode: "REFUND" }],
    ["success", { success: "false" }],
  ])("refuses another %s", (_field, changes) => {
    expect(read({ ...captured, ...changes })).toEqual([{ refused: "wrong_signature" }]);
  });

  it.each<[string, unknown]>([
    ["no signature", undefined],
    ["an empty signature", ""],
    ["another signature", sign("QFQTPCQ8HXSKGK82")],
    [
      "a signature by another key",
      sign("QFQTPCQ8HXSKGK82:9913140798220028:merchantAccount:reference:1000:EUR:CAPTURE:true", otherKey),
    ],
    ["a truncated signature", captured.additionalData.hmacSignature.slice(0, 40)],
    ["a signature with a suffix", `${captured.additionalData.hmacSignature}=`],
    ["several signatures", [captured.additionalData.hmacSignature]],
  ])("refuses %s", (_name, hmacSignature) => {
    expect(read({ ...captured, additionalData: { hmacSignature } })).toEqual([{ refused: "wrong_signature" }]);
  });

  it("accepts each of several keys, for a rotation", () => {
    expect(read(captured, "false", { hmacKeys: [otherKey, key] })).toMatchObject([{ event: { type: "captured" } }]);
    expect(read(captured, "false", { hmacKeys: [key, otherKey] })).toMatchObject([{ event: { type: "captured" } }]);
    expect(read(captured, "false", { hmacKeys: [otherKey] })).toEqual([{ refused: "wrong_signature" }]);
  });

  it.each([undefined, "", null])("signs an absent originalReference (%j) as an empty text", (originalReference) => {
    const text = "QFQTPCQ8HXSKGK82::merchantAccount:reference:1000:EUR:AUTHORISATION:true";
    const item = {
      ...captured,
      originalReference,
      eventCode: "AUTHORISATION",
      additionalData: { hmacSignature: sign(text) },
    };
    expect(read(item)).toMatchObject([{ signed: { originalReference: null }, event: { type: "authorized" } }]);
  });

  it("doesn't escape colons and backslashes in our reference", () => {
    const merchantReference = "a:b\\c";
    const text = "QFQTPCQ8HXSKGK82:9913140798220028:merchantAccount:a:b\\c:1000:EUR:CAPTURE:true";
    expect(read({ ...captured, merchantReference, additionalData: { hmacSignature: sign(text) } })).toMatchObject([
      { signed: { merchantReference } },
    ]);
  });

  const payment = "QFQTPCQ8HXSKGK82:9913140798220028:merchantAccount";
  it.each<[string, object, string]>([
    ["a colon in pspReference", { pspReference: "A:B" }, "A:B:9913140798220028:merchantAccount:reference:1000:EUR"],
    [
      "a reference that was moved into originalReference",
      { originalReference: "9913140798220028:merchantAccount", merchantReference: "b" },
      "QFQTPCQ8HXSKGK82:9913140798220028:merchantAccount:merchantAccount:b:1000:EUR",
    ],
    [
      "a reference that was moved into the currency",
      { merchantReference: "a", amount: { value: 2, currency: "EUR:1000:EUR" } },
      `${payment}:a:2:EUR:1000:EUR`,
    ],
    ["no pspReference", { pspReference: undefined }, ":9913140798220028:merchantAccount:reference:1000:EUR"],
    [
      "a long pspReference",
      { pspReference: "A".repeat(129) },
      `${"A".repeat(129)}:9913140798220028:merchantAccount:reference:1000:EUR`,
    ],
    ["a numeric originalReference", { originalReference: 7 }, "QFQTPCQ8HXSKGK82:7:merchantAccount:reference:1000:EUR"],
    ["no merchant account", { merchantAccountCode: null }, "QFQTPCQ8HXSKGK82:9913140798220028::reference:1000:EUR"],
    ["no merchantReference", { merchantReference: undefined }, `${payment}::1000:EUR`],
    ["null as merchantReference", { merchantReference: null }, `${payment}::1000:EUR`],
    ["a long merchantReference", { merchantReference: "a".repeat(257) }, `${payment}:${"a".repeat(257)}:1000:EUR`],
    ["NUL in merchantReference", { merchantReference: "a\0" }, `${payment}:a\0:1000:EUR`],
    ["no amount", { amount: undefined }, `${payment}:reference::`],
    ["null as amount", { amount: null }, `${payment}:reference::`],
    ["null as value", { amount: { value: null, currency: "EUR" } }, `${payment}:reference::EUR`],
    ["an amount in text", { amount: { value: "1000", currency: "EUR" } }, `${payment}:reference:1000:EUR`],
    ["a fractional amount", { amount: { value: 1000.5, currency: "EUR" } }, `${payment}:reference:1000.5:EUR`],
  ])("accepts a signed item with %s, which means nothing", (_name, changes, start) => {
    const text = `${start}:CAPTURE:true`;
    const item = { ...captured, ...changes, additionalData: { hmacSignature: sign(text) } };
    const id = expect.stringMatching(/^[0-9a-f]{64}:CAPTURE:unusable$/) as string;
    expect(read(item)).toMatchObject([{ id, name: "CAPTURE", signed: { text }, event: { type: "unknown" } }]);
    expect(read({ ...item, additionalData: { hmacSignature: sign("another") } })).toEqual([{ refused: "invalid" }]);
  });

  it.each<[object, string]>([
    [{ eventCode: null }, ":true"],
    [{ eventCode: "A:B" }, "A:B:true"],
    [{ eventCode: "A".repeat(129), success: "yes" }, `${"A".repeat(129)}:yes`],
  ])("accepts a signed item that doesn't say what happened: %j", (changes, end) => {
    const text = `${payment}:reference:1000:EUR:${end}`;
    const item = { ...captured, ...changes, additionalData: { hmacSignature: sign(text) } };
    expect(read(item)).toMatchObject([{ name: "unreadable", event: { type: "unknown" } }]);
  });

  it("refuses a signed item whose reference was moved into the merchant account", () => {
    const text = "QFQTPCQ8HXSKGK82:9913140798220028:merchantAccount:a:b:1000:EUR:CAPTURE:true";
    const changes = { merchantAccountCode: "merchantAccount:a", merchantReference: "b" };
    expect(read({ ...captured, ...changes, additionalData: { hmacSignature: sign(text) } })).toEqual([
      { refused: "other_merchant_account" },
    ]);
  });

  it("refuses another merchant account and another mode", () => {
    expect(read(captured, "false", { merchantAccount: "otherAccount" })).toEqual([
      { refused: "other_merchant_account" },
    ]);
    expect(read(captured, "true")).toEqual([{ refused: "other_mode" }]);
    expect(read(captured, "false", { mode: "live" })).toEqual([{ refused: "other_mode" }]);
    expect(read(captured, null)).toEqual([{ refused: "other_mode" }]);
    expect(read(captured, true, { mode: "live" })).toEqual([{ refused: "other_mode" }]);
    expect(read(captured, "true", { mode: "live" })).toMatchObject([{ event: { type: "captured" } }]);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a text", "CAPTURE"],
    ["no pspReference", { ...captured, pspReference: undefined }],
    ["no merchantReference", { ...captured, merchantReference: undefined }],
    ["a merchantReference with NUL", { ...captured, merchantReference: "a\0" }],
    ["no amount", { ...captured, amount: undefined }],
    ["a fractional amount", { ...captured, amount: { currency: "EUR", value: 1000.5 } }],
    ["no eventCode", { ...captured, eventCode: null }],
    ["another success", { ...captured, success: "yes" }],
  ])("refuses an item with %s", (_name, item) => {
    expect(read(item)).toEqual([{ refused: "invalid" }]);
  });

  it("reads each item on its own", () => {
    const notificationItems = [
      { NotificationRequestItem: captured },
      {},
      { NotificationRequestItem: { ...captured, success: "false" } },
    ];
    expect(createNotificationReader(options)({ live: "false", notificationItems })).toMatchObject([
      { event: { type: "captured" } },
      { refused: "invalid" },
      { refused: "wrong_signature" },
    ]);
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["no items", { live: "false" }],
    ["an object of items", { live: "false", notificationItems: {} }],
    ["too many items", { live: "false", notificationItems: Array.from({ length: 101 }, () => ({})) }],
  ])("returns null for %s", (_name, body) => {
    expect(createNotificationReader(options)(body)).toBeNull();
  });

  it.each([[[]], [[""]], [["zz".repeat(32)]], [[key.slice(2)]], [[key, "00"]]])(
    "refuses the keys %j without showing them",
    (hmacKeys) => {
      expect(() => createNotificationReader({ ...options, hmacKeys })).toThrow(RangeError);
      expect(() => createNotificationReader({ ...options, hmacKeys })).not.toThrow(/[0-9a-f]{8}|zz/i);
    },
  );
});
