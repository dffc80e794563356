/** Whatever a merchant and the cardholders do, the notifications explain the ledger. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testCards } from "@oriel/protocol/test-cards";
import { amountRequest, merchantAccount, openLedger, paymentRequest, reservation } from "../../test/adyen-client.ts";
import type { AdyenLedger } from "./ledger.ts";
import { disputeEventCodes, failureEventCodes, type NotificationRequestItem } from "./messages.ts";
import type { Balance } from "./payment.ts";

const value = fc.integer({ min: 1, max: 6_000 });

const step = fc.oneof(
  fc.record({ do: fc.constantFrom("capture", "refund"), value }),
  fc.record({ do: fc.constantFrom("cancel", "technical cancel") }),
  fc.record({ do: fc.constant("fail"), index: fc.nat(5), eventCode: fc.constantFrom(...failureEventCodes) }),
  fc.record({
    do: fc.constant("dispute"),
    value,
    currency: fc.constantFrom("EUR", "USD"),
    eventCode: fc.constantFrom(...disputeEventCodes),
  }),
  fc.record({ do: fc.constant("wait"), ms: fc.integer({ min: 1, max: 3_000 }) }),
);

type Step = { do: string } & Partial<{
  value: number;
  currency: string;
  index: number;
  ms: number;
  eventCode: (typeof failureEventCodes)[number] | (typeof disputeEventCodes)[number];
}>;

function take(
  ledger: AdyenLedger,
  paymentPspReference: string,
  { do: what, value = 1, currency = "EUR", ...rest }: Step,
) {
  if (what === "capture") ledger.capture(paymentPspReference, amountRequest(value));
  if (what === "refund") ledger.refund(paymentPspReference, amountRequest(value));
  if (what === "cancel") ledger.cancel(paymentPspReference, { merchantAccount });
  if (what === "technical cancel") ledger.technicalCancel({ merchantAccount, paymentReference: "order-1" });
  if (what === "fail") {
    const target = ledger.paymentsOf("order-1")[0]?.modifications[rest.index ?? 0];
    const eventCode = failureEventCodes.find((code) => code === rest.eventCode);
    if (target !== undefined && eventCode !== undefined) ledger.fail(target.pspReference, eventCode);
  }
  if (what === "dispute") {
    const eventCode = disputeEventCodes.find((code) => code === rest.eventCode);
    if (eventCode !== undefined) ledger.dispute({ paymentPspReference, eventCode, amount: { value, currency } });
  }
}

/** What a merchant believes who saw only the notifications. */
function believed(items: readonly NotificationRequestItem[], isManual: boolean): Record<string, Balance> {
  const balances: Record<string, Balance> = {};
  for (const { eventCode, success, amount } of items) {
    if (success === "false" || eventCode === "NOTIFICATION_OF_CHARGEBACK") continue;
    const balance = (balances[amount.currency] ??= { reserved: 0, merchant: 0 });
    if (eventCode === "AUTHORISATION") balance[isManual ? "reserved" : "merchant"] += amount.value;
    else if (eventCode === "CANCELLATION" || eventCode === "TECHNICAL_CANCEL") balance.reserved = 0;
    else if (eventCode === "CAPTURE") {
      balance.reserved = 0;
      balance.merchant += amount.value;
    } else if (["REFUND_FAILED", "REFUNDED_REVERSED", "CHARGEBACK_REVERSED"].includes(eventCode))
      balance.merchant += amount.value;
    else balance.merchant -= amount.value;
  }
  return balances;
}

describe("the ledger", () => {
  it("shows the balance that the notifications add up to", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { maxLength: 15 }), (isManual, steps) => {
        const { ledger, clock } = openLedger();
        ledger.pay((isManual ? reservation : paymentRequest)(testCards.visa));
        const pspReference = ledger.paymentsOf("order-1")[0]?.pspReference ?? "";
        const items: NotificationRequestItem[] = [];
        for (const next of [...steps, { do: "wait", ms: 60_000 }] as Step[]) {
          clock.advance(next.ms ?? 0);
          take(ledger, pspReference, next);
          items.push(...ledger.takeDue(new Date(clock.now())).map(({ item }) => item));
        }
        const balances = ledger.balanceOf("order-1");
        expect(balances).toEqual(believed(items, isManual));
        expect(balances["EUR"]?.reserved).toBeGreaterThanOrEqual(0);
        expect(ledger.nextDue()).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
