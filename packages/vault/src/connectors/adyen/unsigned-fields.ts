/**
 * The fields of a notification that are kept although they aren't signed. They're shown or sent to the card network, but
 * they decide nothing, except that a repeated capture or refund is told apart from the first one. Source:
 * `AuthorisationNotificationAdditionalData` and `DisputesNotificationAdditionalData` in Adyen Webhooks v1.
 */
import { fieldsOf, isText, reasonOrNull, textOrNull } from "../fields.ts";
import {
  isDisputeStep,
  type NotificationEvent,
  type UnsignedAuthorization,
  type UnsignedDispute,
  type UnsignedFields,
} from "../notification.ts";

export function unsignedFieldsOf(item: unknown, event: NotificationEvent): UnsignedFields {
  const { eventDate, reason, additionalData } = fieldsOf(item);
  const fields: UnsignedFields = { eventDate: dateOrNull(eventDate), reason: null, authorization: null, dispute: null };
  const { type } = event;
  if (type === "fraud_reported" || isDisputeStep(type))
    return { ...fields, dispute: disputeOf(fieldsOf(additionalData)) };
  switch (type) {
    case "authorized":
    case "authorization_failed":
      return { ...fields, authorization: authorizationOf(fieldsOf(additionalData)) };
    case "capture_declined":
    case "cancel_declined":
    case "refund_declined":
    case "capture_failed":
    case "refund_failed":
    case "reversal_declined":
      return { ...fields, reason: reasonOrNull(reason) };
    case "captured":
    case "refunded":
      return { ...fields, ...(isRepetition(reason) ? { isRepetition: true } : {}) };
    case "canceled":
    case "reversed":
    case "refund_reversed":
    case "authorization_expired":
    case "unknown":
      return fields;
  }
}

/**
 * "Transaction Recaptured" or "Transaction Auto-recaptured". Refunds are treated the same. Source:
 * https://docs.adyen.com/online-payments/capture/failure-reasons
 */
function isRepetition(reason: unknown): boolean {
  return isText(reason, 256) && reason.toLowerCase().includes("recaptured");
}

function authorizationOf(data: Record<string, unknown>): UnsignedAuthorization {
  return {
    authorizationCode: textOrNull(data["authCode"], 64),
    avsResult: textOrNull(data["avsResult"], 128),
    cvcResult: textOrNull(data["cvcResult"], 128),
    networkTransactionId: textOrNull(data["networkTxReference"], 64),
    refusalReason: reasonOrNull(data["refusalReasonRaw"]),
  };
}

/** Adyen separates the references by commas. Reason codes can start with a space. */
function disputeOf(data: Record<string, unknown>): UnsignedDispute {
  const { defensePeriodEndsAt, chargebackReasonCode, disputeStatus, modificationMerchantReferences: references } = data;
  return {
    respondBy: dateOrNull(defensePeriodEndsAt),
    reasonCode: textOrNull(chargebackReasonCode, 32)?.trim() || null,
    status: textOrNull(disputeStatus, 32),
    references: isText(references, 4096) ? references.split(",").map((one) => one.trim()) : [],
  };
}

function dateOrNull(value: unknown): string | null {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]{8,18}([+-]\d\d:\d\d|Z)$/.test(value) ? value : null;
}
