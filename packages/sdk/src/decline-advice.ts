/**
 * What a merchant can do about a decline. This copies the protocol's table, because the SDK imports only the protocol's
 * types. The compiler checks that no code is missing, and a test compares the two tables.
 */
import type { DeclineAdvice, DeclineCode } from "@oriel/protocol/declines";

/**
 * Returns the advice for a decline code. For an unknown code it's `do_not_try_again`, because networks fine merchants
 * for retries that aren't allowed.
 */
export function adviceFor(code: DeclineCode): DeclineAdvice {
  return Object.hasOwn(adviceByCode, code) ? adviceByCode[code] : "do_not_try_again";
}

const adviceByCode: Record<DeclineCode, DeclineAdvice> = {
  generic_decline: "try_again_later",
  do_not_honor: "try_again_later",
  insufficient_funds: "try_again_later",
  card_velocity_exceeded: "try_again_later",
  withdrawal_count_limit_exceeded: "try_again_later",
  approve_with_id: "try_again_later",
  issuer_not_available: "try_again_later",
  processing_error: "try_again_later",
  reenter_transaction: "try_again_later",
  call_issuer: "try_again_later",
  risk_rejected: "try_again_later",
  authentication_canceled: "try_again_later",
  authentication_timed_out: "try_again_later",
  authentication_unavailable: "try_again_later",
  expired_card: "confirm_card_data",
  incorrect_number: "confirm_card_data",
  invalid_number: "confirm_card_data",
  incorrect_cvc: "confirm_card_data",
  invalid_cvc: "confirm_card_data",
  invalid_expiry_month: "confirm_card_data",
  invalid_expiry_year: "confirm_card_data",
  incorrect_zip: "confirm_card_data",
  incorrect_address: "confirm_card_data",
  authentication_required: "confirm_card_data",
  authentication_not_handled: "confirm_card_data",
  authentication_failed: "confirm_card_data",
  card_not_supported: "do_not_try_again",
  currency_not_supported: "do_not_try_again",
  transaction_not_allowed: "do_not_try_again",
  duplicate_transaction: "do_not_try_again",
  lost_card: "do_not_try_again",
  stolen_card: "do_not_try_again",
  fraudulent: "do_not_try_again",
  merchant_blacklist: "do_not_try_again",
  pickup_card: "do_not_try_again",
  revocation_of_authorization: "do_not_try_again",
  revocation_of_all_authorizations: "do_not_try_again",
  stop_payment_order: "do_not_try_again",
  authentication_rejected: "do_not_try_again",
};
