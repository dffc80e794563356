/**
 * Formats declines for the API: a code and advice for the merchant's code, and a message for the developer. The
 * customer sees less detail.
 */
import type { Charge } from "@oriel/protocol/api";
import { declineAdvice, type DeclineCode } from "@oriel/protocol/declines";
import { ApiError } from "../../platform/errors.ts";

/**
 * A 402 error: the acquirer or issuer declined, or the decision was declined before authorization.
 *
 * @param describe {@link refundMessage} for a refund
 */
export function cardDeclined(code: DeclineCode, describe = declineMessage): ApiError {
  return new ApiError("card_declined", describe(code), { declineCode: code });
}

/**
 * The `failure` of a charge or a refund; null if it didn't fail.
 *
 * @param describe {@link refundMessage} for a refund
 */
export function failureOf(code: DeclineCode | null, describe = declineMessage): Charge["failure"] {
  if (code === null) return null;
  return { code: "card_declined", decline_code: code, advice: declineAdvice(code), message: describe(code) };
}

export function refundMessage(code: DeclineCode): string {
  // For example, because the acquirer doesn't know the payment, or because the customer's account is closed.
  if (code === "processing_error")
    return "The refund wasn't made, or the money came back, so the customer doesn't have it. Check the payment in the acquirer's records before you try again.";
  return declineMessage(code);
}

function declineMessage(code: DeclineCode): string {
  switch (code) {
    case "insufficient_funds":
      return "The card has insufficient funds. The customer can use another card or try again another day.";
    case "card_velocity_exceeded":
    case "withdrawal_count_limit_exceeded":
      return "The card has reached its limit. The customer can use another card or wait at least a day before trying again.";
    case "expired_card":
      return "The card has expired. The customer can use another card.";
    case "incorrect_number":
    case "invalid_number":
    case "incorrect_cvc":
    case "invalid_cvc":
    case "invalid_expiry_month":
    case "invalid_expiry_year":
      return "The issuer doesn't recognize these card details. The customer should check them.";
    case "incorrect_zip":
    case "incorrect_address":
      return "The billing address doesn't match the issuer's records. The customer should check it.";
    case "authentication_required":
    case "authentication_not_handled":
      return "The issuer requires authentication. Create a checkout session so that the customer can authenticate the payment.";
    case "approve_with_id":
    case "reenter_transaction":
      return "The issuer couldn't make a decision. The customer can try again once.";
    case "issuer_not_available":
    case "processing_error":
      return "The payment couldn't be processed. Try again later.";
    case "card_not_supported":
      return "The card doesn't support this type of payment. The customer can use another card.";
    case "currency_not_supported":
      return "The card doesn't support this currency. The customer can use another card.";
    case "transaction_not_allowed":
      return "The issuer doesn't allow this transaction. The customer can contact their bank or use another card.";
    case "duplicate_transaction":
      return "The issuer has just received an identical payment. Check the customer's previous charges before you charge again.";
    case "authentication_failed":
      return "The issuer couldn't confirm the cardholder's identity. The customer can try again or use another card.";
    case "authentication_rejected":
      return "The issuer rejected the authentication. Don't retry with this card.";
    case "authentication_canceled":
      return "The customer canceled the authentication. They can try again.";
    case "authentication_timed_out":
      return "The customer didn't complete the authentication in time. They can try again.";
    case "authentication_unavailable":
      return "The cardholder couldn't be authenticated because 3-D Secure was unavailable. The customer can try again later or use another card.";
    case "risk_rejected":
      return "The risk rules declined the payment before authorization. See the decision's `risk.reasons`.";
    case "lost_card":
    case "stolen_card":
    case "fraudulent":
    case "merchant_blacklist":
    case "pickup_card":
    case "revocation_of_authorization":
    case "revocation_of_all_authorizations":
    case "stop_payment_order":
      return "The issuer declined the card. Don't retry with this card, and tell the customer only that it was declined.";
    case "generic_decline":
    case "do_not_honor":
    case "call_issuer":
      return "The issuer declined without giving a reason. The customer can contact their bank or use another card.";
  }
}
