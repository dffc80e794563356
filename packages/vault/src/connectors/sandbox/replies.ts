/** Reads the replies to operations and lookups. Unused fields are dropped. */
import { isDeclineCode } from "@oriel/protocol/declines";
import { noDetails, type AcquirerReply } from "../acquirer.ts";
import { InvalidReplyError } from "../errors.ts";
import { fieldsOf, textOrNull } from "../fields.ts";

/** @throws InvalidReplyError */
export function readReply(body: unknown, reference: string): AcquirerReply {
  const { reference: answered, status, decline_code: declineCode, authorization_id } = fieldsOf(body);
  const details = { ...noDetails, acquirerId: textOrNull(authorization_id, 64) };
  if (answered === reference && status === "approved") return { status, details };
  if (answered === reference && status === "declined") {
    const refusal = { code: textOrNull(declineCode, 64), reason: null };
    return {
      status,
      declineCode: isDeclineCode(declineCode) ? declineCode : "generic_decline",
      details: { ...details, refusal },
    };
  }
  throw new InvalidReplyError(
    "a request",
    "it contains neither an approval nor a decline for the request's reference",
  );
}

/** Whether the body is the vendor's error format: JSON with an `error` object. */
export function isRefusal(body: unknown): boolean {
  const { error } = fieldsOf(body);
  return typeof error === "object" && error !== null;
}
