/** What the operator asked for cannot be done; the sentence says why, and what can. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}
