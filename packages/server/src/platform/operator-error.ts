/**
 * Something that the operator can mend: why a process cannot start, or a command cannot be done. The sentence says what
 * to do; no stack is shown.
 */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
