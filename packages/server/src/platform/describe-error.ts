/** Describes an error to the person who ran a command: only a sentence for a mistake, the whole error for a bug. */
import { describeFileError } from "@oriel/commands/describe-file-error";
import { OperatorError } from "@oriel/commands/operator-error";
import { KeyFileError } from "@oriel/vault";

/** For errors of file operations. */
export const pathsHint = "ORIEL_DATA_DIR and ORIEL_KEY_DIR determine where Oriel keeps its files.";

export function describeError(error: unknown): unknown {
  return isMistake(error) ? error.message : (describeFileError(error, pathsHint) ?? error);
}

/** Whether the operator can fix it. */
export function isMistake(error: unknown): error is Error {
  if (error instanceof OperatorError || error instanceof KeyFileError) return true;
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
