/** What the one who started a process is shown when it cannot go on: a sentence for a mistake, everything for a bug. */
import { KeyFileError } from "@oriel/vault";
import { OperatorError } from "./operator-error.ts";

export function explain(error: unknown): unknown {
  return isMistake(error) ? error.message : error;
}

/** Something that the operator can mend. */
export function isMistake(error: unknown): error is Error {
  if (error instanceof OperatorError || error instanceof KeyFileError) return true;
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
