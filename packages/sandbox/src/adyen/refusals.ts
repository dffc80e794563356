/**
 * What the issuer decides about a payment, and how Adyen says it. Adyen's published test cards are approved. All other
 * numbers are the sandbox bank's own (`cards.ts`), with the same outcome as at its acquirer.
 *
 * Source of the codes and their texts: docs.adyen.com/development-resources/refusal-reasons.
 */
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";
import { isExpiryInFuture } from "@oriel/protocol/card";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { Refusals } from "../acquirer/ledger-entry.ts";
import type { BankSecret } from "../bank-secret.ts";
import { outcomeOf, refusalsOf } from "../cards.ts";
import type { PaymentRequest } from "./messages.ts";
import { adyenTestCards } from "./test-cards.ts";

export interface Decision {
  outcome: "approved" | DeclineCode;
  /** How otherwise valid captures and refunds end. */
  refuses: Refusals;
}

export type Issuer = (request: PaymentRequest, nowMs: number) => Decision;

export interface Refusal {
  resultCode: "Refused" | "Error";
  refusalReason: string;
  refusalReasonCode: string;
}

export function createIssuer(secret: BankSecret): Issuer {
  return (request, nowMs) => {
    const card = cardOf(request);
    if (adyenTestCards.includes(card.number)) {
      const isValid = isExpiryInFuture(card.exp_month, card.exp_year, nowMs);
      return { outcome: isValid ? "approved" : "expired_card", refuses: {} };
    }
    const proven = secret.proven(authorizationOf(request, card));
    return { outcome: outcomeOf(card, proven, nowMs), refuses: refusalsOf(card.number) };
  };
}

/** Adyen's words for a decline. */
export function refusalFor(code: DeclineCode): Refusal {
  const refusalReasonCode = codes[code] ?? "2";
  return {
    resultCode: refusalReasonCode === "4" ? "Error" : "Refused",
    refusalReason: reasons[refusalReasonCode],
    refusalReasonCode,
  };
}

const reasons = {
  "2": "Refused",
  "3": "Referral",
  "4": "Acquirer Error",
  "5": "Blocked Card",
  "6": "Expired Card",
  "8": "Invalid Card Number",
  "9": "Issuer Unavailable",
  "10": "Not supported",
  "11": "3D Not Authenticated",
  "12": "Not enough balance",
  "20": "FRAUD",
  "23": "Transaction Not Permitted",
  "24": "CVC Declined",
  "26": "Revocation Of Auth",
  "27": "Declined Non Generic",
  "28": "Withdrawal amount exceeded",
  "29": "Withdrawal count exceeded",
  "31": "Issuer Suspected Fraud",
  "32": "AVS Declined",
  "38": "Authentication required",
} as const;

/** All other codes are Adyen's 2. */
const codes: Partial<Record<DeclineCode, keyof typeof reasons>> = {
  approve_with_id: "3",
  call_issuer: "3",
  processing_error: "4",
  lost_card: "5",
  stolen_card: "5",
  pickup_card: "5",
  expired_card: "6",
  invalid_expiry_month: "6",
  invalid_expiry_year: "6",
  incorrect_number: "8",
  invalid_number: "8",
  issuer_not_available: "9",
  card_not_supported: "10",
  currency_not_supported: "10",
  authentication_not_handled: "11",
  insufficient_funds: "12",
  merchant_blacklist: "20",
  transaction_not_allowed: "23",
  incorrect_cvc: "24",
  invalid_cvc: "24",
  revocation_of_authorization: "26",
  revocation_of_all_authorizations: "26",
  stop_payment_order: "26",
  duplicate_transaction: "27",
  reenter_transaction: "27",
  card_velocity_exceeded: "28",
  withdrawal_count_limit_exceeded: "29",
  fraudulent: "31",
  incorrect_zip: "32",
  incorrect_address: "32",
  authentication_required: "38",
};

function cardOf({ paymentMethod: { number, expiryMonth, expiryYear } }: PaymentRequest) {
  return { number, exp_month: Number(expiryMonth), exp_year: Number(expiryYear) };
}

/** The payment as the sandbox's acquirer would receive it, to check the proof of authentication. */
function authorizationOf(
  { reference, amount, mpiData }: PaymentRequest,
  card: AuthorizationRequest["card"],
): AuthorizationRequest {
  const request = { reference, amount: amount.value, currency: amount.currency.toLowerCase(), capture: false, card };
  if (mpiData?.dsTransID === undefined) return request;
  const { eci, cavv, dsTransID } = mpiData;
  return {
    ...request,
    three_d_secure: {
      ds_trans_id: dsTransID,
      ...(eci === undefined ? {} : { eci }),
      ...(cavv === undefined ? {} : { authentication_value: cavv }),
    },
  };
}
