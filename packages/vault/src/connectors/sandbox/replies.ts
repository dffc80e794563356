/** Reads the replies to operations and lookups. Unused fields are dropped. */
import { isDeclineCode } from "@oriel/protocol/declines";
import type { AcquirerReply, Details, OperationKind } from "../acquirer.ts";
import { InvalidReplyError } from "../errors.ts";
import { fieldsOf, reasonOrNull, textOrNull } from "../fields.ts";

/** @throws InvalidReplyError */
export function readReply(kind: OperationKind, body: unknown, reference: string): AcquirerReply {
  const { reference: received, status, decline_code: declineCode } = fieldsOf(body);
  const details = readDetails(kind, body);
  if (received === reference && status === "approved") return { status, details };
  if (received === reference && status === "declined")
    return { status, declineCode: isDeclineCode(declineCode) ? declineCode : "generic_decline", details };
  throw new InvalidReplyError("a request", "it contains neither an approval nor a decline for the request's reference");
}

/**
 * Optional fields, so an invalid one counts as absent. Only an authorization has an ID of its own. If a refund's reply names
 * its authorization, that isn't the refund's ID: all refunds of a charge would have the same one, and the ledger one entry.
 */
function readDetails(kind: OperationKind, body: unknown): Details {
  const fields = fieldsOf(body);
  const code = textOrNull(fields["refusal_code"], 64);
  const reason = reasonOrNull(fields["refusal_reason"]);
  return {
    acquirerId: kind === "authorize" ? textOrNull(fields["authorization_id"], 64) : null,
    authorizationCode: textOrNull(fields["authorization_code"], 16),
    avsResult: textOrNull(fields["avs_result"], 16),
    cvcResult: textOrNull(fields["cvc_result"], 16),
    networkTransactionId: textOrNull(fields["network_transaction_id"], 64),
    refusal: code === null && reason === null ? null : { code, reason },
  };
}

/** Whether the body is the vendor's error format: JSON with an `error` object. */
export function isRefusal(body: unknown): boolean {
  const { error } = fieldsOf(body);
  return typeof error === "object" && error !== null;
}
