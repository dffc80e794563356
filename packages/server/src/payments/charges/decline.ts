/**
 * A bank's "no" as the API tells it: to the merchant's program a code and an advice, to the developer a sentence. The
 * customer is told less.
 */
import type { Charge } from "@oriel/protocol/api";
import { declineAdvice, type DeclineCode } from "@oriel/protocol/declines";
import { ApiError } from "../../platform/errors.ts";

/** 402: the bank, or the decision before it, said no. */
export function cardDeclined(code: DeclineCode): ApiError {
  return new ApiError("card_declined", declineMessage(code), { declineCode: code });
}

/** The `failure` of a charge or a refund; null where there is none. */
export function failureOf(code: DeclineCode | null): Charge["failure"] {
  if (code === null) return null;
  return { code: "card_declined", decline_code: code, advice: declineAdvice(code), message: declineMessage(code) };
}

function declineMessage(code: DeclineCode): string {
  switch (code) {
    case "insufficient_funds":
      return "The card has not enough funds. The customer can use another card, or try again another day.";
    case "card_velocity_exceeded":
    case "withdrawal_count_limit_exceeded":
      return "The card has reached its limit. The customer can use another card, or try again in a day at the earliest.";
    case "expired_card":
      return "The card has expired. The customer can use another card.";
    case "incorrect_number":
    case "invalid_number":
    case "incorrect_cvc":
    case "invalid_cvc":
    case "invalid_expiry_month":
    case "invalid_expiry_year":
      return "The bank does not know these card details. The customer should check them.";
    case "incorrect_zip":
    case "incorrect_address":
      return "The billing address is not the one the bank knows. The customer should check it.";
    case "authentication_required":
    case "authentication_not_handled":
      return "The bank wants the cardholder to be authenticated. Open a checkout session so that the customer can answer.";
    case "approve_with_id":
    case "reenter_transaction":
      return "The bank could not decide. The customer can try once more.";
    case "issuer_not_available":
    case "processing_error":
      return "The bank could not process this. Try again later.";
    case "card_not_supported":
      return "The card cannot be used for this kind of payment. The customer can use another card.";
    case "currency_not_supported":
      return "The card cannot pay in this currency. The customer can use another card.";
    case "transaction_not_allowed":
      return "The bank does not allow this. The customer can ask the bank or use another card.";
    case "duplicate_transaction":
      return "The bank has just seen an identical payment. Look at what was charged before you charge again.";
    case "authentication_failed":
      return "The bank could not confirm that it was the cardholder.";
    case "authentication_rejected":
      return "The bank refused the authentication and asks not to try again with this card.";
    case "authentication_canceled":
      return "The customer gave up the bank's challenge.";
    case "authentication_timed_out":
      return "The bank's challenge was not finished in time.";
    case "authentication_unavailable":
      return "The bank could not authenticate the cardholder at the moment.";
    case "risk_rejected":
      return "The risk rules refused the payment and the bank was not asked. The decision's `risk.reasons` say which.";
    case "lost_card":
    case "stolen_card":
    case "fraudulent":
    case "merchant_blacklist":
    case "pickup_card":
    case "revocation_of_authorization":
    case "revocation_of_all_authorizations":
    case "stop_payment_order":
      return "The bank refused and asks not to try again with this card. Tell the customer no more than that it was declined.";
    case "generic_decline":
    case "do_not_honor":
    case "call_issuer":
      return "The bank declined without saying why. The customer can ask the bank or use another card.";
  }
}
