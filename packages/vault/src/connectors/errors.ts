/** Failures after which the outcome of a request to a vendor is unknown. They contain nothing that was sent. */

/** No reply arrived. */
export class NoReplyError extends Error {
  override readonly name = "NoReplyError";
  /** @param what - The request: "an authorization request" */
  constructor(what: string, reason: string) {
    super(`The acquirer didn't respond to ${what}: ${reason}`);
  }
}

/** A reply arrived, but it's invalid. */
export class InvalidReplyError extends Error {
  override readonly name = "InvalidReplyError";
  /** @param what - The request: "an authorization request" */
  constructor(what: string, reason: string) {
    super(`The acquirer's response to ${what} is invalid: ${reason}`);
  }
}

/** Whether an error means that the outcome is unknown. Any other error is a bug. */
export function isOutcomeUnknown(error: unknown): error is NoReplyError | InvalidReplyError {
  return error instanceof NoReplyError || error instanceof InvalidReplyError;
}
