import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { testCards } from "@oriel/protocol/test-cards";
import { amountRequest, openLedger, paymentRequest, reservation } from "../../test/adyen-client.ts";
import { listenForWebhooks, type WebhookListener } from "../../test/webhook-listener.ts";
import { Notifier, type WebhookOptions } from "./notifier.ts";
import { signatureOf } from "./signature.ts";

const hmacKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const dayMs = 24 * 3_600_000;

let merchant: WebhookListener;
let closing: AbortController;
beforeEach(async () => {
  merchant = await listenForWebhooks();
  closing = new AbortController();
});
afterEach(async () => {
  closing.abort();
  await merchant.close();
});

/** Ledger whose outcomes and notifications are due at once. */
function open(options: Partial<WebhookOptions> & { random?: () => number } = {}) {
  const { ledger, clock } = openLedger({ delays: { outcomeMs: 0, notificationMs: 0 } });
  const random = () => 0.999;
  const required = { url: merchant.url, hmacKey, ledger, clock, random, closing: closing.signal };
  return { ledger, clock, notifier: new Notifier({ ...required, ...options }) };
}

describe("a notification", () => {
  it("is sent once, signed, one item per request", async () => {
    const { ledger, notifier } = open();
    ledger.pay(reservation(testCards.visa));
    ledger.capture(ledger.paymentsOf("order-1")[0]?.pspReference ?? "", amountRequest(4900));
    expect(await notifier.deliver()).toEqual({ accepted: 2, failed: 0 });
    expect(await notifier.deliver()).toEqual({ accepted: 0, failed: 0 });
    expect(merchant.events()).toEqual(["AUTHORISATION", "CAPTURE"]);
    for (const body of merchant.received) {
      expect(body).toMatchObject({ live: "false", notificationItems: [expect.anything()] });
      const item = body.notificationItems[0]?.NotificationRequestItem;
      expect(item?.additionalData["hmacSignature"]).toBe(item && signatureOf(item, hmacKey));
    }
  });

  it("is sent again until the merchant accepts it with a 2xx status", async () => {
    const { ledger, clock, notifier } = open({ retryDelaysMs: [1_000, 5_000] });
    merchant.statuses.push(500, 301, 404, 202);
    ledger.pay(paymentRequest(testCards.visa));
    expect(await notifier.deliver()).toEqual({ accepted: 0, failed: 1 });
    expect(await notifier.deliver()).toEqual({ accepted: 0, failed: 0 });
    for (const [waitMs, attempts] of [
      [999, 1],
      [1, 2],
      [4_999, 2],
      [1, 3],
      [5_000, 4],
      [60_000, 4],
    ] as const) {
      clock.advance(waitMs);
      await notifier.deliver();
      expect(merchant.events()).toEqual(Array(attempts).fill("AUTHORISATION"));
    }
  });

  it("is given up after 30 days", async () => {
    const { ledger, clock, notifier } = open({ retryDelaysMs: [29 * dayMs, 2 * dayMs] });
    merchant.statuses.push(500, 500, 500);
    ledger.pay(paymentRequest(testCards.visa));
    await notifier.deliver();
    clock.advance(29 * dayMs);
    await notifier.deliver();
    clock.advance(10 * dayMs);
    await notifier.deliver();
    expect(merchant.received).toHaveLength(2);
  });

  it("is sent again if the merchant can't be reached", async () => {
    const { ledger, clock, notifier } = open({ url: "http://127.0.0.1:1/webhooks", retryDelaysMs: [1_000] });
    ledger.pay(paymentRequest(testCards.visa));
    expect(await notifier.deliver()).toEqual({ accepted: 0, failed: 1 });
    expect(clock.pending()).toBe(1);
  });

  it("can be sent twice, with the same pspReference", async () => {
    const { ledger, notifier } = open({ disorder: { duplicates: 0.5 }, random: () => 0.49 });
    ledger.pay(paymentRequest(testCards.visa));
    expect(await notifier.deliver()).toEqual({ accepted: 2, failed: 0 });
    expect(merchant.received[0]).toEqual(merchant.received[1]);
  });

  it("can be delayed", async () => {
    const { ledger, clock, notifier } = open({ disorder: { maxDelayMs: 1_000 }, random: () => 0.5 });
    ledger.pay(paymentRequest(testCards.visa));
    expect(await notifier.deliver()).toEqual({ accepted: 0, failed: 0 });
    clock.advance(499);
    await notifier.deliver();
    expect(merchant.received).toEqual([]);
    clock.advance(1);
    await notifier.deliver();
    expect(merchant.received).toHaveLength(1);
  });

  it("can overtake an earlier one", async () => {
    const { ledger, notifier } = open({ disorder: { reorder: true } });
    ledger.pay(reservation(testCards.visa));
    ledger.capture(ledger.paymentsOf("order-1")[0]?.pspReference ?? "", amountRequest(4900));
    await notifier.deliver();
    expect(merchant.events()).toEqual(["CAPTURE", "AUTHORISATION"]);
  });
});

describe("the notifier", () => {
  it("delivers by itself when something is due", async () => {
    const { ledger, clock, notifier } = open();
    ledger.setDelays({ notificationMs: 1_000 });
    ledger.pay(paymentRequest(testCards.visa));
    notifier.schedule();
    clock.advance(999);
    expect(clock.pending()).toBe(1);
    clock.advance(1);
    await vi.waitFor(() => expect(merchant.events()).toEqual(["AUTHORISATION"]));
  });

  it("stops when the bank closes", () => {
    const { ledger, clock, notifier } = open();
    ledger.pay(paymentRequest(testCards.visa));
    notifier.schedule();
    expect(clock.pending()).toBe(1);
    closing.abort();
    expect(clock.pending()).toBe(0);
    notifier.schedule();
    expect(clock.pending()).toBe(0);
  });

  it("refuses an HMAC key that isn't 32 bytes in hex", () => {
    expect(() => open({ hmacKey: "secret" })).toThrow(RangeError);
  });
});
