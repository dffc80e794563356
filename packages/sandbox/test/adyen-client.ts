/** Requests to the Adyen simulator, and its ledger on a clock that tests move. */
import { createFingerprint } from "../src/adyen/idempotency.ts";
import { AdyenLedger, type AdyenLedgerOptions } from "../src/adyen/ledger.ts";
import type { AmountRequest, PaymentRequest } from "../src/adyen/messages.ts";
import { createIssuer } from "../src/adyen/refusals.ts";
import { createBankSecret } from "../src/bank-secret.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";

export const merchantAccount = "NorthwindECOM";

export function paymentRequest(number: string, changes: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    merchantAccount,
    reference: "order-1",
    amount: { value: 4900, currency: "EUR" },
    returnUrl: "https://shop.example/return",
    paymentMethod: { type: "scheme", number, expiryMonth: "12", expiryYear: "2040", cvc: "737" },
    ...changes,
  };
}

/** A payment that waits for its capture. */
export function reservation(number: string, changes: Partial<PaymentRequest> = {}): PaymentRequest {
  return paymentRequest(number, { additionalData: { manualCapture: "true" }, ...changes });
}

export function amountRequest(value: number, changes: Partial<AmountRequest> = {}): AmountRequest {
  return { merchantAccount, amount: { value, currency: "EUR" }, ...changes };
}

export function openLedger(options: Partial<AdyenLedgerOptions> = {}): { ledger: AdyenLedger; clock: ManualClock } {
  const clock = createManualClock();
  let count = 0;
  const ledger = new AdyenLedger({
    now: () => new Date(clock.now()),
    newPspReference: () => `PSP${String((count += 1)).padStart(13, "0")}`,
    merchantAccount,
    issuer: createIssuer(createBankSecret(Buffer.alloc(32, 1))),
    fingerprint: createFingerprint(Buffer.alloc(32, 2)),
    ...options,
  });
  return { ledger, clock };
}
