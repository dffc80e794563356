/**
 * Reads the response to `POST /payments`. Source: `PaymentResponse` and `ResponseAdditionalDataCommon` in Checkout API
 * v72.
 *
 * `Authorised`, `Refused`, `Error` and `Cancelled` are final. `Error` is a decline too: Adyen doesn't capture the payment,
 * even if it doesn't know whether the issuer received it. `Received` and `Pending` are resolved by a notification. Any
 * other result belongs to a request that we don't make: 3-D Secure by Adyen, a partial approval or another payment method.
 * Then the outcome is unknown.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import { noDetails, type AcquirerReply, type Details } from "../acquirer.ts";
import { InvalidReplyError } from "../errors.ts";
import { fieldsOf, reasonOrNull, textOrNull } from "../fields.ts";
import { isSameAmount, type AdyenAmount } from "./amounts.ts";
import { declineCodeOf } from "./refusals.ts";

/** @throws InvalidReplyError if it isn't a complete response to this payment */
export function readPayment(
  what: string,
  body: unknown,
  sent: { reference: string; amount: AdyenAmount },
): AcquirerReply {
  const fields = fieldsOf(body);
  const { resultCode, merchantReference, amount, refusalReasonCode } = fields;
  const details = detailsOf(fields);
  if (merchantReference !== sent.reference && (merchantReference !== undefined || resultCode === "Authorised"))
    throw new InvalidReplyError(what, "it's about another payment");
  if (!isSameAmount(amount, sent.amount) && (amount !== undefined || resultCode === "Authorised"))
    throw new InvalidReplyError(what, "it's about another amount");
  switch (resultCode) {
    case "Authorised":
      if (details.acquirerId === null) throw new InvalidReplyError(what, "it has no pspReference");
      if (!isAuthorisedInFull(fields["additionalData"], sent.amount))
        throw new InvalidReplyError(what, "another amount was authorized");
      return { status: "approved", details };
    case "Refused":
    case "Cancelled":
      return declined(declineCodeOf(refusalReasonCode), details, fields);
    case "Error": {
      const declineCode = declineCodeOf(refusalReasonCode);
      return declined(declineCode === "generic_decline" ? "processing_error" : declineCode, details, fields);
    }
    case "Received":
    case "Pending":
      return { status: "pending", details };
    default:
      throw new InvalidReplyError(what, "its resultCode isn't one of a direct payment");
  }
}

/** The authorized amount is only present if that's enabled for the account. It's a string. */
function isAuthorisedInFull(additionalData: unknown, ours: AdyenAmount): boolean {
  const { authorisedAmountValue: value, authorisedAmountCurrency: currency } = fieldsOf(additionalData);
  return (
    (value === undefined || value === String(ours.value)) && (currency === undefined || currency === ours.currency)
  );
}

function declined(declineCode: DeclineCode, details: Details, fields: Record<string, unknown>): AcquirerReply {
  const { refusalReasonRaw } = fieldsOf(fields["additionalData"]);
  const code = textOrNull(fields["refusalReasonCode"], 10);
  const reason = reasonOrNull(refusalReasonRaw) ?? reasonOrNull(fields["refusalReason"]);
  const refusal = code === null && reason === null ? null : { code, reason };
  return { status: "declined", declineCode, details: { ...details, refusal } };
}

function detailsOf({ pspReference, additionalData }: Record<string, unknown>): Details {
  const { authCode, avsResult, cvcResult, networkTxReference } = fieldsOf(additionalData);
  return {
    ...noDetails,
    acquirerId: textOrNull(pspReference, 64),
    authorizationCode: textOrNull(authCode, 64),
    avsResult: textOrNull(avsResult, 128),
    cvcResult: textOrNull(cvcResult, 128),
    networkTransactionId: textOrNull(networkTxReference, 64),
  };
}
