/**
 * Adyen's `refusalReasonCode`s as decline codes. Codes that aren't in the table are `generic_decline`, including those
 * for PINs and terminals (17 to 19, 33, 36, 37, 40, 41, 43 to 45), which online payments don't have.
 *
 * Source: https://docs.adyen.com/development-resources/refusal-reasons
 */
import type { DeclineCode } from "@oriel/protocol/declines";

const declineCodes: ReadonlyMap<unknown, DeclineCode> = new Map([
  ["3", "call_issuer"], // Referral
  ["4", "processing_error"], // Acquirer Error
  ["5", "pickup_card"], // Blocked Card
  ["6", "expired_card"],
  ["7", "processing_error"], // Invalid Amount
  ["8", "incorrect_number"],
  ["9", "issuer_not_available"],
  ["10", "transaction_not_allowed"], // Not supported
  ["11", "authentication_required"], // 3D Not Authenticated
  ["12", "insufficient_funds"],
  ["14", "fraudulent"], // Acquirer Fraud
  ["20", "fraudulent"],
  ["21", "processing_error"], // Not Submitted
  ["22", "fraudulent"], // FRAUD-CANCELLED
  ["23", "transaction_not_allowed"],
  ["24", "incorrect_cvc"],
  ["25", "card_not_supported"], // Restricted Card
  ["26", "revocation_of_authorization"],
  ["28", "card_velocity_exceeded"], // Withdrawal amount exceeded
  ["29", "withdrawal_count_limit_exceeded"],
  ["31", "fraudulent"], // Issuer Suspected Fraud
  ["32", "incorrect_address"],
  ["34", "card_not_supported"], // No checking account available on Card
  ["35", "card_not_supported"], // No savings account available on Card
  ["38", "authentication_required"],
  ["39", "authentication_failed"], // RReq not received from DS
  ["42", "authentication_failed"], // 3DS Authentication Error
  ["46", "transaction_not_allowed"], // Blocked by Adyen to prevent fees for excessive retries
]);

export function declineCodeOf(refusalReasonCode: unknown): DeclineCode {
  return declineCodes.get(refusalReasonCode) ?? "generic_decline";
}
