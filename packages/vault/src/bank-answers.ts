/**
 * Reads what an acquirer answered, field by field, each within its bounds. Another company wrote it: nothing in it is
 * believed to have a shape, and what is not used is dropped.
 */
import { isDeclineCode } from "@oriel/protocol/declines";
import { BankUnreadableError, type BankAnswer } from "./bank.ts";

/** The answer to a request that moves money, or what stands in the books about it. @throws BankUnreadableError */
export function readBankAnswer(body: unknown, reference: string): BankAnswer {
  const { reference: answered, status, decline_code: declineCode } = fieldsOf(body);
  if (answered === reference && status === "approved") return { status };
  if (answered === reference && status === "declined") {
    return { status, declineCode: isDeclineCode(declineCode) ? declineCode : "generic_decline" };
  }
  throw new BankUnreadableError(
    "about a reference",
    "it does not say of this reference that it is approved or declined",
  );
}

/** The bank's own way of refusing: JSON with an `error` in it. */
export function isRefusal(body: unknown): boolean {
  const { error } = fieldsOf(body);
  return typeof error === "object" && error !== null;
}

/** An object's fields, each still unknown; none of anything else. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}; // an object's fields, each still unknown
}

/** Without the character 0, on which PostgreSQL fails: what cannot be written down would be lost, a "no" too. */
export function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= most && !value.includes("\0");
}
