/** Describes an error to the person who ran a command: only the message for a mistake, the whole error for a bug. */
import { KeyFileError } from "@oriel/vault";
import { OperatorError } from "@oriel/commands/operator-error";

export function describeError(error: unknown): unknown {
  return isMistake(error) ? error.message : error;
}

/** Whether the operator can fix it. */
export function isMistake(error: unknown): error is Error {
  if (error instanceof OperatorError || error instanceof KeyFileError) return true;
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
