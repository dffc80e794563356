/**
 * Reads an acquirer's responses. They come from another company, so every field is validated and unused fields are
 * dropped.
 */
import { isDeclineCode } from "@oriel/protocol/declines";
import { BankUnreadableError, type BankAnswer } from "./bank.ts";

/** Reads the result of an operation or a lookup. @throws BankUnreadableError */
export function readBankAnswer(body: unknown, reference: string): BankAnswer {
  const { reference: answered, status, decline_code: declineCode } = fieldsOf(body);
  if (answered === reference && status === "approved") return { status };
  if (answered === reference && status === "declined") {
    return { status, declineCode: isDeclineCode(declineCode) ? declineCode : "generic_decline" };
  }
  throw new BankUnreadableError(
    "to a request",
    "it contains neither an approval nor a decline for the request's reference",
  );
}

/** Whether the body is the acquirer's error format: JSON with an `error` object. */
export function isRefusal(body: unknown): boolean {
  const { error } = fieldsOf(body);
  return typeof error === "object" && error !== null;
}

/** Returns an object's fields with unknown values, or no fields for any other value. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Rejects NUL characters, because PostgreSQL can't store them, so the whole response would be lost, even a decline. */
export function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= most && !value.includes("\0");
}
