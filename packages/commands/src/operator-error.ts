/**
 * A problem the operator can fix, such as a process that can't start or a command that can't run. The message says what
 * to do and is shown without a stack trace.
 */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
