/** Builds responses of the Checkout API. Source of the fields: Adyen's OpenAPI document `CheckoutService-v71`. */
import { createHash } from "node:crypto";
import { cardBrand } from "@oriel/protocol/card";
import type { ModificationResponse, PaymentRequest, PaymentResponse, Reply } from "./messages.ts";
import type { Modification, Payment } from "./payment.ts";
import type { Refusal } from "./refusals.ts";

/** `/payments`. `refusal` is null if the payment is authorised. */
export function paymentResponse(
  { pspReference, merchantReference, amount, brand }: Payment,
  { paymentMethod: { type, cvc } }: PaymentRequest,
  refusal: Refusal | null,
): PaymentResponse {
  const shared = { pspReference, merchantReference, amount };
  const checks = { avsResult: "4 AVS not supported for this card type", cvcResult: cvcResult(cvc, refusal) };
  if (refusal !== null)
    return { ...shared, ...refusal, additionalData: { ...checks, refusalReasonRaw: refusal.refusalReason } };
  return {
    ...shared,
    resultCode: "Authorised",
    paymentMethod: { brand, type },
    additionalData: {
      ...checks,
      authCode: authCodeOf(pspReference),
      networkTxReference: lettersFrom(`network ${pspReference}`, 15),
      refusalReasonRaw: "AUTHORISED",
    },
  };
}

export function modificationReply(
  { pspReference, reference }: Modification,
  rest: Omit<ModificationResponse, "pspReference" | "status" | "reference">,
): Reply<ModificationResponse> {
  const body = { ...rest, pspReference, status: "received", ...(reference === null ? {} : { reference }) } as const;
  return { status: 201, body };
}

/** Six letters. */
export function authCodeOf(pspReference: string): string {
  return lettersFrom(`code ${pspReference}`, 6);
}

/** Adyen's name of the brand of a card, such as `mc`. */
export function brandOf(number: string): string {
  const brand = cardBrand(number);
  return brand === "mastercard" ? "mc" : brand;
}

/**
 * Delay of the automatic capture. Null for a manual capture, which the payment asks for with `manualCapture`. Without
 * either field, Adyen's default applies: capture at once.
 */
export function captureDelayMs({ additionalData, captureDelayHours = 0 }: PaymentRequest): number | null {
  return additionalData?.manualCapture === "true" ? null : captureDelayHours * 60 * 60 * 1000;
}

function cvcResult(cvc: string | undefined, refusal: Refusal | null): string {
  if (cvc === undefined) return "6 No CVC/CVV provided";
  return refusal?.refusalReasonCode === "24" ? "2 Doesn't match" : "1 Matches";
}

/** Real ones also contain digits. Letters can't be mistaken for card data when you search for it. */
function lettersFrom(text: string, length: number): string {
  const bytes = createHash("sha256").update(text).digest();
  return Array.from(bytes.subarray(0, length), (byte) => String.fromCharCode(65 + (byte % 26))).join("");
}
