import { describe, expect, it } from "vitest";
import { testCards, troubleCards } from "@oriel/protocol/test-cards";
import { amountRequest, merchantAccount, openLedger, paymentRequest, reservation } from "../../test/adyen-client.ts";
import type { ManualClock } from "../../test/manual-clock.ts";
import type { AdyenLedger } from "./ledger.ts";
import type { ModificationResponse, PaymentRequest, PaymentResponse, Reply } from "./messages.ts";

const card = testCards.visa;

/** The body of a reply that must be a success. */
function bodyOf<Body extends object>(reply: Reply<Body>): Body {
  if (reply.status >= 400) throw new Error(`Refused: ${JSON.stringify(reply.body)}`);
  return reply.body as Body;
}
const pay = (ledger: AdyenLedger, request: PaymentRequest): PaymentResponse => bodyOf(ledger.pay(request));
const accepted = (reply: Reply<ModificationResponse>): ModificationResponse => bodyOf(reply);

/** Waits until everything has happened, and returns the notifications in short. */
function outcomes(ledger: AdyenLedger, clock: ManualClock): string[] {
  clock.advance(60_000);
  return ledger
    .takeDue(new Date(clock.now()))
    .map(({ item }) => `${item.eventCode} ${item.success} ${item.amount.value} ${item.amount.currency}`);
}

describe("a payment", () => {
  it("is authorised and captured at once", () => {
    const { ledger, clock } = openLedger();
    const response = pay(ledger, paymentRequest(card));
    expect(response).toMatchObject({
      resultCode: "Authorised",
      merchantReference: "order-1",
      amount: { value: 4900, currency: "EUR" },
      paymentMethod: { brand: "visa", type: "scheme" },
      additionalData: { cvcResult: "1 Matches", authCode: expect.stringMatching(/^[A-Z]{6}$/) },
    });
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 4900 } });
    expect(outcomes(ledger, clock)).toEqual(["AUTHORISATION true 4900 EUR"]);
  });

  it("is reserved until the capture if it asks for a manual capture", () => {
    const { ledger } = openLedger();
    pay(ledger, reservation(card));
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 4900, merchant: 0 } });
  });

  it("is captured after the requested delay unless it was canceled", () => {
    const { ledger, clock } = openLedger();
    const request = (reference: string) => paymentRequest(card, { reference, captureDelayHours: 24 });
    pay(ledger, request("kept"));
    const { pspReference } = pay(ledger, request("canceled"));
    ledger.cancel(pspReference, { merchantAccount });
    clock.advance(24 * 3_600_000 - 1);
    expect(ledger.balanceOf("kept")).toEqual({ EUR: { reserved: 4900, merchant: 0 } });
    clock.advance(1);
    expect(ledger.balanceOf("kept")).toEqual({ EUR: { reserved: 0, merchant: 4900 } });
    expect(ledger.balanceOf("canceled")).toEqual({ EUR: { reserved: 0, merchant: 0 } });
  });

  it("is refused with Adyen's code, and the notification says so", () => {
    const { ledger, clock } = openLedger();
    const response = pay(ledger, paymentRequest(testCards.insufficient_funds));
    expect(response).toMatchObject({ resultCode: "Refused", refusalReasonCode: "12" });
    expect(response.paymentMethod).toBeUndefined();
    expect(ledger.entriesOf("order-1")).toEqual([]);
    clock.advance(60_000);
    expect(ledger.takeDue(new Date(clock.now()))).toMatchObject([
      { item: { eventCode: "AUTHORISATION", success: "false", reason: "Not enough balance" } },
    ]);
  });

  it("of 0 verifies the card", () => {
    const { ledger } = openLedger();
    expect(pay(ledger, paymentRequest(card, { amount: { value: 0, currency: "EUR" } })).resultCode).toBe("Authorised");
    expect(ledger.entriesOf("order-1")).toEqual([]);
  });

  it("is refused for another merchant account or an unknown currency", () => {
    const { ledger } = openLedger();
    expect(ledger.pay(paymentRequest(card, { merchantAccount: "Other" }))).toMatchObject({
      status: 403,
      body: { errorCode: "901", errorType: "security" },
    });
    expect(ledger.pay(paymentRequest(card, { amount: { value: 1, currency: "XXX" } }))).toMatchObject({ status: 422 });
    expect(ledger.nextDue()).toBeNull();
  });

  it("leaves no card data in the ledger or the notification", () => {
    const { ledger, clock } = openLedger();
    pay(ledger, paymentRequest(card));
    clock.advance(60_000);
    const stored = JSON.stringify([ledger.paymentsOf("order-1"), ledger.takeDue(new Date(clock.now()))]);
    expect(stored).toContain("4242");
    for (const secret of [card, "737", "2040"]) expect(stored).not.toContain(secret);
  });
});

describe("a modification", () => {
  it("is received, then decided, then notified", () => {
    const { ledger, clock } = openLedger({ delays: { outcomeMs: 100, notificationMs: 10 } });
    const payment = pay(ledger, reservation(card));
    const response = accepted(ledger.capture(payment.pspReference, amountRequest(4900, { reference: "capture-1" })));
    expect(response).toEqual({
      merchantAccount,
      paymentPspReference: payment.pspReference,
      pspReference: expect.any(String),
      reference: "capture-1",
      amount: { value: 4900, currency: "EUR" },
      status: "received",
    });
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 4900, merchant: 0 } });
    clock.advance(100);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 4900 } });
    expect(ledger.takeDue(new Date(clock.now())).map(({ item }) => item.eventCode)).toEqual(["AUTHORISATION"]);
    expect(ledger.nextDue()).toEqual(new Date(clock.now() + 10));
    clock.advance(10);
    expect(ledger.takeDue(new Date(clock.now()))).toMatchObject([
      {
        due: new Date(clock.now()),
        item: {
          eventCode: "CAPTURE",
          success: "true",
          pspReference: response.pspReference,
          originalReference: payment.pspReference,
          merchantReference: "capture-1",
        },
      },
    ]);
    expect(ledger.takeDue(new Date(clock.now()))).toEqual([]);
    expect(ledger.nextDue()).toBeNull();
  });

  it("of an unknown payment is refused at once", () => {
    const { ledger } = openLedger();
    for (const reply of [
      ledger.capture("UNKNOWN000000000", amountRequest(1)),
      ledger.refund("UNKNOWN000000000", amountRequest(1)),
      ledger.cancel("UNKNOWN000000000", { merchantAccount }),
    ])
      expect(reply).toMatchObject({ status: 422, body: { errorCode: "167" } });
  });
});

describe("a capture", () => {
  it("in part releases the rest and can't be repeated", () => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, reservation(card));
    accepted(ledger.capture(pspReference, amountRequest(1000)));
    accepted(ledger.capture(pspReference, amountRequest(1000)));
    expect(outcomes(ledger, clock)).toEqual([
      "AUTHORISATION true 4900 EUR",
      "CAPTURE true 1000 EUR",
      "CAPTURE false 1000 EUR",
    ]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 1000 } });
    expect(ledger.entriesOf("order-1").map(({ type }) => type)).toEqual([
      "authorized",
      "captured",
      "captured",
      "released",
    ]);
  });

  it("keeps the rest reserved with multiple partial captures, until that's canceled", () => {
    const { ledger, clock } = openLedger({ multiplePartialCaptures: true });
    const { pspReference } = pay(ledger, reservation(card));
    for (const value of [1000, 500, 3401]) accepted(ledger.capture(pspReference, amountRequest(value)));
    accepted(ledger.cancel(pspReference, { merchantAccount }));
    expect(outcomes(ledger, clock)).toEqual([
      "AUTHORISATION true 4900 EUR",
      "CAPTURE true 1000 EUR",
      "CAPTURE true 500 EUR",
      "CAPTURE false 3401 EUR",
      "CANCELLATION true 4900 EUR",
    ]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 1500 } });
  });

  it("is accepted and then fails beyond the authorized amount, in another currency, or if the issuer refuses", () => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, reservation(card));
    const other = pay(ledger, reservation(troubleCards.capture_declined));
    accepted(ledger.capture(pspReference, amountRequest(4901)));
    accepted(ledger.capture(pspReference, { merchantAccount, amount: { value: 4900, currency: "USD" } }));
    accepted(ledger.capture(other.pspReference, amountRequest(4900)));
    expect(outcomes(ledger, clock).filter((outcome) => outcome.startsWith("CAPTURE"))).toEqual([
      "CAPTURE false 4901 EUR",
      "CAPTURE false 4900 USD",
      "CAPTURE false 4900 EUR",
    ]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 9800, merchant: 0 } });
  });

  it("of a payment that was captured automatically charges nothing more", () => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, paymentRequest(card));
    accepted(ledger.capture(pspReference, amountRequest(4900)));
    expect(outcomes(ledger, clock)).toEqual(["AUTHORISATION true 4900 EUR", "CAPTURE false 4900 EUR"]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 4900 } });
  });

  it("can fail after it was done, once", () => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, reservation(card));
    const capture = accepted(ledger.capture(pspReference, amountRequest(4900)));
    outcomes(ledger, clock);
    expect(ledger.fail(capture.pspReference, "CAPTURE_FAILED")).toBe(true);
    expect(ledger.fail(capture.pspReference, "CAPTURE_FAILED")).toBe(true);
    expect(outcomes(ledger, clock)).toEqual(["CAPTURE_FAILED true 4900 EUR"]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 0 } });
    expect(ledger.fail(capture.pspReference, "CAPTURE_FAILED")).toBe(false);
  });

  it("of the rest that was captured automatically takes back only the rest if it fails", () => {
    const { ledger, clock } = openLedger({ multiplePartialCaptures: true });
    const { pspReference } = pay(ledger, paymentRequest(card, { captureDelayHours: 24 }));
    accepted(ledger.capture(pspReference, amountRequest(1000)));
    clock.advance(24 * 3_600_000);
    outcomes(ledger, clock);
    const automatic = ledger.paymentsOf("order-1")[0]?.modifications.at(-1);
    expect(automatic?.amount).toEqual({ value: 3900, currency: "EUR" });
    ledger.fail(automatic?.pspReference ?? "", "CAPTURE_FAILED");
    expect(outcomes(ledger, clock)).toEqual(["CAPTURE_FAILED true 3900 EUR"]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 1000 } });
  });

  it("fails right after it was done if that was requested before, and its outcome took longer", () => {
    const { ledger, clock } = openLedger({ delays: { outcomeMs: 3_000 } });
    const { pspReference } = pay(ledger, reservation(card));
    const capture = accepted(ledger.capture(pspReference, amountRequest(4900)));
    ledger.setDelays({ outcomeMs: 0 });
    expect(ledger.fail(capture.pspReference, "CAPTURE_FAILED")).toBe(true);
    expect(outcomes(ledger, clock)).toEqual([
      "AUTHORISATION true 4900 EUR",
      "CAPTURE true 4900 EUR",
      "CAPTURE_FAILED true 4900 EUR",
    ]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 0 } });
  });

  it("doesn't fail later if it was refused, and a payment isn't a capture", () => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, reservation(card));
    const capture = accepted(ledger.capture(pspReference, amountRequest(5000)));
    expect(ledger.fail(capture.pspReference, "CAPTURE_FAILED")).toBe(true);
    expect(ledger.fail(capture.pspReference, "REFUND_FAILED")).toBe(false);
    expect(ledger.fail(pspReference, "CAPTURE_FAILED")).toBe(false);
    expect(outcomes(ledger, clock)).toEqual(["AUTHORISATION true 4900 EUR", "CAPTURE false 5000 EUR"]);
    expect(ledger.fail(capture.pspReference, "CAPTURE_FAILED")).toBe(false);
  });
});

describe("a cancel", () => {
  it("releases the reservation, once", () => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, reservation(card));
    accepted(ledger.cancel(pspReference, { merchantAccount }));
    accepted(ledger.cancel(pspReference, { merchantAccount }));
    accepted(ledger.capture(pspReference, amountRequest(1)));
    expect(outcomes(ledger, clock)).toEqual([
      "AUTHORISATION true 4900 EUR",
      "CANCELLATION true 4900 EUR",
      "CANCELLATION false 4900 EUR",
      "CAPTURE false 1 EUR",
    ]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 0 } });
  });

  it("fails after a capture", () => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, paymentRequest(card));
    accepted(ledger.cancel(pspReference, { merchantAccount }));
    expect(outcomes(ledger, clock)).toContain("CANCELLATION false 4900 EUR");
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 4900 } });
  });
});

describe("a technical cancel", () => {
  const cancel = { merchantAccount, paymentReference: "order-1", reference: "cancel-1" };

  it("cancels the payment with the merchant's reference", () => {
    const { ledger, clock } = openLedger();
    const payment = pay(ledger, reservation(card));
    expect(accepted(ledger.technicalCancel(cancel))).toMatchObject({
      paymentReference: "order-1",
      reference: "cancel-1",
      status: "received",
    });
    clock.advance(60_000);
    expect(ledger.takeDue(new Date(clock.now())).at(-1)?.item).toMatchObject({
      eventCode: "TECHNICAL_CANCEL",
      success: "true",
      originalReference: payment.pspReference,
      merchantReference: "order-1",
    });
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 0 } });
  });

  it("that arrives before the payment fails and doesn't cancel it", () => {
    const { ledger, clock } = openLedger();
    accepted(ledger.technicalCancel(cancel));
    pay(ledger, reservation(card));
    clock.advance(60_000);
    const item = ledger.takeDue(new Date(clock.now())).find(({ item }) => item.eventCode === "TECHNICAL_CANCEL")?.item;
    expect(item).toMatchObject({ success: "false", merchantReference: "order-1" });
    expect(item?.originalReference).toBeUndefined();
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 4900, merchant: 0 } });
  });

  it("doesn't refund a captured payment", () => {
    const { ledger, clock } = openLedger();
    pay(ledger, paymentRequest(card));
    accepted(ledger.technicalCancel(cancel));
    expect(outcomes(ledger, clock)).toContain("TECHNICAL_CANCEL false 4900 EUR");
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 4900 } });
  });
});

describe("a reversal", () => {
  const reversal = { merchantAccount, reference: "rev-1" };

  it("cancels what isn't captured yet, and refunds what is", () => {
    for (const delays of [{}, { captureMs: 5_000 }]) {
      const { ledger, clock } = openLedger({ delays });
      const { pspReference } = pay(ledger, paymentRequest(card));
      accepted(ledger.reverse(pspReference, reversal));
      expect(outcomes(ledger, clock).slice(1)).toEqual(["CANCEL_OR_REFUND true 4900 EUR"]);
      clock.advance(10_000);
      expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 0 } });
      const types = ledger.entriesOf("order-1").map(({ type }) => type);
      expect(types.includes("canceled")).toBe(delays.captureMs !== undefined);
    }
  });

  it.each([
    ["can fail later if it was a refund", 0, 4900],
    ["can't fail later if it was a cancellation", 5_000, 0],
  ])("%s", (_what, captureMs, merchant) => {
    const { ledger, clock } = openLedger({ delays: { captureMs } });
    const { pspReference } = accepted(ledger.reverse(pay(ledger, paymentRequest(card)).pspReference, reversal));
    clock.advance(10_000);
    expect(ledger.fail(pspReference, "REFUND_FAILED")).toBe(merchant > 0);
    clock.advance(10_000);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant } });
  });

  it("fails if there's nothing left, and isn't supported with multiple partial captures", () => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, paymentRequest(card));
    for (let i = 0; i < 2; i++) accepted(ledger.reverse(pspReference, reversal));
    expect(outcomes(ledger, clock).slice(1)).toEqual([
      "CANCEL_OR_REFUND true 4900 EUR",
      "CANCEL_OR_REFUND false 4900 EUR",
    ]);
    const other = openLedger({ multiplePartialCaptures: true });
    accepted(other.ledger.reverse(pay(other.ledger, paymentRequest(card)).pspReference, reversal));
    expect(outcomes(other.ledger, other.clock).slice(1)).toEqual(["CANCEL_OR_REFUND false 4900 EUR"]);
  });
});

describe("a refund", () => {
  it("is done in parts up to the captured amount", () => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, paymentRequest(card));
    for (const value of [4000, 901, 900, 1]) accepted(ledger.refund(pspReference, amountRequest(value)));
    expect(outcomes(ledger, clock).slice(1)).toEqual([
      "REFUND true 4000 EUR",
      "REFUND false 901 EUR",
      "REFUND true 900 EUR",
      "REFUND false 1 EUR",
    ]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 0 } });
  });

  it("fails before the capture and if the issuer refuses", () => {
    const { ledger, clock } = openLedger();
    const reserved = pay(ledger, reservation(card));
    const unrefundable = pay(ledger, paymentRequest(troubleCards.refund_declined));
    accepted(ledger.refund(reserved.pspReference, amountRequest(1)));
    accepted(ledger.refund(unrefundable.pspReference, amountRequest(2)));
    expect(outcomes(ledger, clock).slice(2)).toEqual(["REFUND false 1 EUR", "REFUND false 2 EUR"]);
  });

  it.each(["REFUND_FAILED", "REFUNDED_REVERSED"] as const)("can come back with %s and be repeated", (eventCode) => {
    const { ledger, clock } = openLedger();
    const { pspReference } = pay(ledger, paymentRequest(card));
    const refund = accepted(ledger.refund(pspReference, amountRequest(4900)));
    expect(ledger.fail(refund.pspReference, eventCode)).toBe(true);
    expect(outcomes(ledger, clock).slice(1)).toEqual(["REFUND true 4900 EUR", `${eventCode} true 4900 EUR`]);
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 4900 } });
    accepted(ledger.refund(pspReference, amountRequest(4900)));
    expect(outcomes(ledger, clock)).toEqual(["REFUND true 4900 EUR"]);
  });
});

describe("a repetition", () => {
  it.each([false, true])(
    "captures or refunds once more after a failure (another pspReference: %s)",
    (hasNewReference) => {
      const { ledger, clock } = openLedger();
      const { pspReference } = pay(ledger, paymentRequest(card));
      const refund = accepted(ledger.refund(pspReference, amountRequest(900)));
      outcomes(ledger, clock);
      const [capture] = ledger.paymentsOf("order-1")[0]?.modifications ?? [];
      for (const [failed, eventCode] of [
        [capture?.pspReference ?? "", "CAPTURE_FAILED"],
        [refund.pspReference, "REFUND_FAILED"],
      ] as const) {
        expect(ledger.repeat(failed, { hasNewReference })).toBeNull();
        ledger.fail(failed, eventCode);
        outcomes(ledger, clock);
        const repeated = ledger.repeat(failed, { hasNewReference });
        expect(repeated?.pspReference === failed).toBe(!hasNewReference);
        expect(ledger.repeat(failed, { hasNewReference })).toBeNull();
        clock.advance(60_000);
        const [notification] = ledger.takeDue(new Date(clock.now()));
        expect(notification?.item).toMatchObject({
          eventCode: eventCode.replace("_FAILED", ""),
          success: "true",
          reason: "Transaction Recaptured",
          pspReference: repeated?.pspReference,
          originalReference: pspReference,
        });
      }
      expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 4000 } });
    },
  );
});

describe("a dispute", () => {
  it("can follow a full refund, in another amount and currency, and twice", () => {
    const { ledger, clock } = openLedger();
    const { pspReference: paymentPspReference } = pay(ledger, paymentRequest(card));
    accepted(ledger.refund(paymentPspReference, amountRequest(4900, { reference: "refund-1" })));
    outcomes(ledger, clock);

    const amount = { value: 5321, currency: "USD" };
    const dispute = ledger.dispute({ paymentPspReference, eventCode: "NOTIFICATION_OF_CHARGEBACK", amount });
    const disputePspReference = dispute?.disputePspReference ?? "";
    for (const eventCode of ["CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"] as const)
      expect(ledger.dispute({ paymentPspReference, eventCode, amount, disputePspReference })).toEqual(dispute);
    const second = ledger.dispute({ paymentPspReference, eventCode: "CHARGEBACK" });
    expect(second?.disputePspReference).not.toBe(disputePspReference);

    clock.advance(60_000);
    const items = ledger.takeDue(new Date(clock.now())).map(({ item }) => item);
    expect(items.map(({ eventCode, amount: { value, currency } }) => `${eventCode} ${value} ${currency}`)).toEqual([
      "NOTIFICATION_OF_CHARGEBACK 5321 USD",
      "CHARGEBACK 5321 USD",
      "CHARGEBACK_REVERSED 5321 USD",
      "SECOND_CHARGEBACK 5321 USD",
      "CHARGEBACK 4900 EUR",
    ]);
    expect(items[0]).toMatchObject({
      originalReference: paymentPspReference,
      merchantReference: "order-1",
      additionalData: { chargebackReasonCode: "10.4", modificationMerchantReferences: "refund-1" },
    });
    expect(ledger.balanceOf("order-1")).toEqual({
      EUR: { reserved: 0, merchant: -4900 },
      USD: { reserved: 0, merchant: -5321 },
    });
  });

  it("needs a payment", () => {
    const { ledger } = openLedger();
    expect(ledger.dispute({ paymentPspReference: "UNKNOWN000000000", eventCode: "CHARGEBACK" })).toBeNull();
  });
});

describe("an idempotency key", () => {
  it("returns the first response, but not without the CVC", () => {
    const { ledger, clock } = openLedger();
    const request = paymentRequest(card);
    const { cvc: _, ...paymentMethod } = request.paymentMethod;
    const first = ledger.pay(request, "key");
    expect(ledger.pay(request, "key")).toEqual(first);
    expect(ledger.pay({ ...request, paymentMethod }, "key")).toMatchObject({ status: 422, body: { errorCode: "704" } });
    expect(outcomes(ledger, clock)).toEqual(["AUTHORISATION true 4900 EUR"]);
  });

  it("can't be used for another body or another operation", () => {
    const { ledger } = openLedger();
    const { pspReference } = pay(ledger, reservation(card));
    accepted(ledger.capture(pspReference, amountRequest(100), "key"));
    const conflict = { status: 422, body: { errorCode: "704" } };
    expect(ledger.capture(pspReference, amountRequest(101), "key")).toMatchObject(conflict);
    expect(ledger.refund(pspReference, amountRequest(100), "key")).toMatchObject(conflict);
    expect(ledger.pay(paymentRequest(card), "key")).toMatchObject(conflict);
  });

  it("charges a second time once it's forgotten after 7 days", () => {
    const { ledger, clock } = openLedger();
    ledger.pay(paymentRequest(card), "key");
    clock.advance(7 * 24 * 3_600_000 - 1);
    ledger.pay(paymentRequest(card), "key");
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 4900 } });
    clock.advance(1);
    ledger.pay(paymentRequest(card), "key");
    expect(ledger.balanceOf("order-1")).toEqual({ EUR: { reserved: 0, merchant: 9800 } });
    expect(ledger.paymentsOf("order-1")).toHaveLength(2);
  });
});
