/**
 * The fields of a notification that are kept although they aren't signed. They're shown or sent to the card network, but
 * they decide nothing. Source: `AuthorisationNotificationAdditionalData` and `DisputesNotificationAdditionalData` in Adyen
 * Webhooks v1.
 */
import { fieldsOf, isText, reasonOrNull, textOrNull } from "../fields.ts";
import type { NotificationEvent } from "./notification-events.ts";

export interface UnsignedFields {
  /** When the event occurred, in ISO 8601. */
  eventDate: string | null;
  /** Why a capture, cancellation or refund failed. */
  reason: string | null;
  authorization: UnsignedAuthorization | null;
  dispute: UnsignedDispute | null;
}

/** As in the response to a payment. */
export interface UnsignedAuthorization {
  authorizationCode: string | null;
  avsResult: string | null;
  cvcResult: string | null;
  networkTransactionId: string | null;
  refusalReason: string | null;
}

export interface UnsignedDispute {
  /** In ISO 8601. */
  defensePeriodEndsAt: string | null;
  chargebackReasonCode: string | null;
  disputeStatus: string | null;
  /** Our references of the captures and refunds of the disputed payment. */
  modificationMerchantReferences: string[];
}

export function unsignedFieldsOf(item: unknown, event: NotificationEvent): UnsignedFields {
  const { eventDate, reason, additionalData } = fieldsOf(item);
  const kept: UnsignedFields = { eventDate: dateOrNull(eventDate), reason: null, authorization: null, dispute: null };
  switch (event.type) {
    case "authorized":
    case "authorization_failed":
      return { ...kept, authorization: authorizationOf(fieldsOf(additionalData)) };
    case "capture_declined":
    case "cancel_declined":
    case "refund_declined":
    case "capture_failed":
    case "refund_failed":
    case "technical_cancel":
      return { ...kept, reason: reasonOrNull(reason) };
    case "dispute_opened":
    case "dispute_updated":
    case "chargeback":
    case "second_chargeback":
    case "chargeback_reversed":
    case "fraud_reported":
      return { ...kept, dispute: disputeOf(fieldsOf(additionalData)) };
    case "captured":
    case "canceled":
    case "refunded":
    case "refund_reversed":
    case "authorization_expired":
    case "unknown":
      return kept;
  }
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
    defensePeriodEndsAt: dateOrNull(defensePeriodEndsAt),
    chargebackReasonCode: textOrNull(chargebackReasonCode, 32)?.trim() || null,
    disputeStatus: textOrNull(disputeStatus, 32),
    modificationMerchantReferences: isText(references, 4096) ? references.split(",").map((one) => one.trim()) : [],
  };
}

function dateOrNull(value: unknown): string | null {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]{8,18}([+-]\d\d:\d\d|Z)$/.test(value) ? value : null;
}
