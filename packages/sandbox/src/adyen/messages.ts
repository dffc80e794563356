/**
 * Messages of Adyen's Checkout API, version 71, and of its standard webhook: the fields that the simulator reads and
 * writes. Source: Adyen's OpenAPI documents `CheckoutService-v71` and `Webhooks-v1`.
 */

/** In Adyen's minor units, which differ from ISO 4217 for a few currencies. The currency is in uppercase. */
export interface Amount {
  value: number;
  currency: string;
}

export interface PaymentRequest {
  merchantAccount: string;
  reference: string;
  amount: Amount;
  returnUrl: string;
  paymentMethod: {
    type: "scheme" | "card";
    number: string;
    expiryMonth: string;
    expiryYear: string;
    cvc?: string;
    brand?: string;
  };
  mpiData?: { cavv?: string; dsTransID?: string; eci?: string };
  /** Delay of the automatic capture. */
  captureDelayHours?: number;
  additionalData?: { manualCapture?: "true" | "false" };
}

export interface PaymentResponse {
  pspReference: string;
  merchantReference: string;
  resultCode: "Authorised" | "Refused" | "Error";
  amount: Amount;
  additionalData: Record<string, string>;
  /** Only if authorised. */
  paymentMethod?: { brand: string; type: string };
  refusalReason?: string;
  refusalReasonCode?: string;
}

/** Body of `/payments/{paymentPspReference}/captures` and `/refunds`. */
export interface AmountRequest {
  merchantAccount: string;
  amount: Amount;
  reference?: string;
}

/** Body of `/payments/{paymentPspReference}/cancels`. */
export interface CancelRequest {
  merchantAccount: string;
  reference?: string;
}

/** Body of `/cancels`, the technical cancel. */
export interface TechnicalCancelRequest extends CancelRequest {
  /** The `reference` of the payment. */
  paymentReference: string;
}

export interface ModificationResponse {
  merchantAccount: string;
  pspReference: string;
  status: "received";
  reference?: string;
  amount?: Amount;
  paymentPspReference?: string;
  paymentReference?: string;
}

export interface ServiceError {
  status: number;
  errorCode: string;
  errorType: "validation" | "security" | "internal";
  message: string;
  pspReference?: string;
}

/** A response with its HTTP status. */
export type Reply<Body> = { status: 200 | 201; body: Body } | { status: 403 | 422; body: ServiceError };

export function refused(
  status: 403 | 422,
  errorCode: string,
  message: string,
): { status: 403 | 422; body: ServiceError } {
  return { status, body: { status, errorCode, errorType: status === 403 ? "security" : "validation", message } };
}

export const disputeEventCodes = [
  "NOTIFICATION_OF_CHARGEBACK",
  "CHARGEBACK",
  "CHARGEBACK_REVERSED",
  "SECOND_CHARGEBACK",
] as const;

export type DisputeEventCode = (typeof disputeEventCodes)[number];

export const failureEventCodes = ["CAPTURE_FAILED", "REFUND_FAILED", "REFUNDED_REVERSED"] as const;

export type FailureEventCode = (typeof failureEventCodes)[number];

export type EventCode =
  | "AUTHORISATION"
  | "CAPTURE"
  | "CANCELLATION"
  | "REFUND"
  | "CANCEL_OR_REFUND"
  | "TECHNICAL_CANCEL"
  | "EXPIRE"
  | FailureEventCode
  | DisputeEventCode;

export interface NotificationRequestItem {
  /** Of the payment, modification or dispute. */
  pspReference: string;
  /** The payment's pspReference, in notifications about modifications and disputes. */
  originalReference?: string;
  merchantAccountCode: string;
  merchantReference: string;
  amount: Amount;
  eventCode: EventCode;
  eventDate: string;
  success: "true" | "false";
  reason: string;
  paymentMethod?: string;
  operations?: string[];
  additionalData: Record<string, string>;
}
