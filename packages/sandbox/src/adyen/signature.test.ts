import { describe, expect, it } from "vitest";
import type { NotificationRequestItem } from "./messages.ts";
import { isHmacKey, signatureOf, signItem } from "./signature.ts";

/** The example of Adyen's own libraries. */
const key = "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00";
const example = {
  pspReference: "pspReference",
  originalReference: "originalReference",
  merchantAccountCode: "merchantAccount",
  merchantReference: "reference",
  amount: { value: 1000, currency: "EUR" },
  eventCode: "EVENT",
  success: "true",
} as const;

const item: NotificationRequestItem = {
  pspReference: "PSP",
  merchantAccountCode: "Account",
  merchantReference: "order-1",
  amount: { value: 1000, currency: "EUR" },
  eventCode: "AUTHORISATION",
  eventDate: "2026-01-15T12:00:00+00:00",
  success: "true",
  reason: "",
  additionalData: { authCode: "123456" },
};

describe("the signature of a notification", () => {
  it("equals the one in Adyen's example", () => {
    expect(signatureOf(example, key)).toBe("ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc=");
    expect(signatureOf({ ...example, eventCode: "REPORT_AVAILABLE" }, key)).toBe(
      "ZNBPtI+oDyyRrLyD1XirkKnQgIAlFc07Vj27TeHsDRE=",
    );
  });

  it("treats a missing originalReference as empty", () => {
    const { originalReference: _, ...withoutOriginal } = example;
    expect(signatureOf(withoutOriginal, key)).toBe(signatureOf({ ...example, originalReference: "" }, key));
    expect(signatureOf(withoutOriginal, key)).not.toBe(signatureOf(example, key));
  });

  it("covers eight fields and nothing else", () => {
    const signature = signatureOf(item, key);
    const changes: Partial<NotificationRequestItem>[] = [
      { pspReference: "other" },
      { originalReference: "other" },
      { merchantAccountCode: "other" },
      { merchantReference: "other" },
      { amount: { value: 1001, currency: "EUR" } },
      { amount: { value: 1000, currency: "USD" } },
      { eventCode: "CAPTURE" },
      { success: "false" },
    ];
    for (const change of changes) expect(signatureOf({ ...item, ...change }, key)).not.toBe(signature);
    const unsigned: NotificationRequestItem = { ...item, reason: "other", additionalData: {} };
    expect(signatureOf(unsigned, key)).toBe(signature);
  });

  it("is added to the additional data", () => {
    expect(signItem(item, key).additionalData).toEqual({ authCode: "123456", hmacSignature: signatureOf(item, key) });
    expect(item.additionalData).toEqual({ authCode: "123456" });
  });
});

describe("an HMAC key", () => {
  it("is 32 bytes in hex", () => {
    expect(isHmacKey(key)).toBe(true);
    expect(isHmacKey(key.toLowerCase())).toBe(true);
    for (const wrong of ["", key.slice(2), `${key}00`, key.replace("D", "G")]) expect(isHmacKey(wrong)).toBe(false);
  });
});
