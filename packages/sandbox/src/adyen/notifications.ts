/**
 * Builds notification items, without the signature. Source of the fields: Adyen's OpenAPI document `Webhooks-v1`.
 *
 * `merchantReference` is the merchant's reference of the modification in CAPTURE, CANCELLATION, REFUND and
 * CANCEL_OR_REFUND, and of the payment in all others. All events of a dispute have the dispute's `pspReference`.
 */
import type { Amount, DisputeEventCode, EventCode, NotificationRequestItem } from "./messages.ts";
import type { Modification, ModificationKind, Payment } from "./payment.ts";
import type { Refusal } from "./refusals.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Not the card's own expiry, which isn't kept. */
const shownExpiry = "03/2030";

export const modificationEvents = {
  capture: "CAPTURE",
  cancel: "CANCELLATION",
  refund: "REFUND",
  reversal: "CANCEL_OR_REFUND",
  technical_cancel: "TECHNICAL_CANCEL",
} as const satisfies Record<ModificationKind, EventCode>;

interface Context {
  merchantAccountCode: string;
  atMs: number;
}

export function authorisationItem(
  payment: Payment,
  authCode: string,
  refusal: Refusal | null,
  { merchantAccountCode, atMs }: Context,
): NotificationRequestItem {
  const shared = {
    pspReference: payment.pspReference,
    merchantAccountCode,
    merchantReference: payment.merchantReference,
    amount: payment.amount,
    eventCode: "AUTHORISATION",
    eventDate: dateTime(atMs),
    paymentMethod: payment.brand,
  } as const;
  if (refusal !== null) return { ...shared, success: "false", reason: refusal.refusalReason, additionalData: {} };
  return {
    ...shared,
    success: "true",
    reason: `${authCode}:${payment.last4}:${shownExpiry}`,
    operations: ["CANCEL", "CAPTURE", "REFUND"],
    additionalData: { authCode, cardSummary: payment.last4, expiryDate: shownExpiry },
  };
}

/** `payment` is null for a technical cancel of an unknown reference, and `reason` if the modification was done. */
export function modificationItem(
  payment: Payment | null,
  modification: Modification,
  merchantReference: string,
  reason: string | null,
  { merchantAccountCode, atMs }: Context,
): NotificationRequestItem {
  return {
    pspReference: modification.pspReference,
    merchantAccountCode,
    merchantReference,
    amount: modification.amount,
    eventCode: modificationEvents[modification.kind],
    eventDate: dateTime(atMs),
    success: reason === null ? "true" : "false",
    reason: reason ?? "",
    ...originalOf(payment),
  };
}

/** A capture or refund failed after it was reported as done. */
export function failureItem(
  payment: Payment,
  modification: Modification,
  eventCode: EventCode,
  { merchantAccountCode, atMs }: Context,
): NotificationRequestItem {
  return {
    pspReference: modification.pspReference,
    merchantAccountCode,
    merchantReference: payment.merchantReference,
    amount: modification.amount,
    eventCode,
    eventDate: dateTime(atMs),
    success: "true",
    reason: "Rejected by the card scheme",
    ...originalOf(payment),
  };
}

/**
 * A capture or refund that had failed has succeeded. Adyen documents the reason for captures only. Source:
 * docs.adyen.com/online-payments/capture/failure-reasons.
 */
export function repetitionItem(
  payment: Payment,
  modification: Modification,
  context: Context,
): NotificationRequestItem {
  const merchantReference = modification.reference ?? payment.merchantReference;
  const item = modificationItem(payment, modification, merchantReference, null, context);
  return { ...item, reason: "Transaction Recaptured" };
}

/** What was reserved and not captured has expired. As in Adyen's example, it doesn't name the payment's pspReference. */
export function expiryItem(
  { merchantReference, brand }: Payment,
  amount: Amount,
  pspReference: string,
  { merchantAccountCode, atMs }: Context,
): NotificationRequestItem {
  return {
    pspReference,
    merchantAccountCode,
    merchantReference,
    amount,
    eventCode: "EXPIRE",
    eventDate: dateTime(atMs),
    success: "true",
    reason: "",
    paymentMethod: brand,
    additionalData: {},
  };
}

export function disputeItem(
  payment: Payment,
  dispute: { pspReference: string; eventCode: DisputeEventCode; amount: Amount; reasonCode: string },
  { merchantAccountCode, atMs }: Context,
): NotificationRequestItem {
  const { pspReference, eventCode, amount, reasonCode } = dispute;
  const modificationReferences = payment.modifications.flatMap(({ reference }) => reference ?? []);
  const original = originalOf(payment);
  return {
    ...original,
    pspReference,
    merchantAccountCode,
    merchantReference: payment.merchantReference,
    amount,
    eventCode,
    eventDate: dateTime(atMs),
    success: "true",
    reason: "Dispute",
    additionalData: {
      ...original.additionalData,
      chargebackReasonCode: reasonCode,
      chargebackSchemeCode: payment.brand,
      defendable: eventCode === "SECOND_CHARGEBACK" ? "false" : "true",
      defensePeriodEndsAt: dateTime(atMs + 18 * dayMs),
      disputeStatus: disputeStatuses[eventCode],
      ...(modificationReferences.length === 0
        ? {}
        : { modificationMerchantReferences: modificationReferences.join(",") }),
    },
  };
}

const disputeStatuses = {
  NOTIFICATION_OF_CHARGEBACK: "Undefended",
  CHARGEBACK: "Undefended",
  CHARGEBACK_REVERSED: "Pending",
  SECOND_CHARGEBACK: "Lost",
} as const satisfies Record<DisputeEventCode, string>;

function originalOf(payment: Payment | null) {
  if (payment === null) return { additionalData: {} };
  return {
    originalReference: payment.pspReference,
    paymentMethod: payment.brand,
    additionalData: { paymentMethodVariant: payment.brand },
  };
}

/** yyyy-MM-DDThh:mm:ss with a time zone. */
function dateTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}+00:00`;
}
