/**
 * An error in the receiver, not in the webhook. It goes to the framework's error handling and results in a 500
 * response, so the event is sent again.
 *
 * `body_already_read`: something has read the body before the handler. The message says what to change.
 * `event_not_handled`: your `onEvent` threw, and `cause` is its error. The error is wrapped because frameworks use an
 * error's own status: a 410 from elsewhere would disable the webhook endpoint.
 */

export type WebhookReceiverErrorCode = "body_already_read" | "event_not_handled";

export class WebhookReceiverError extends Error {
  override readonly name = "WebhookReceiverError";
  readonly code: WebhookReceiverErrorCode;
  /** The status that Express and Fastify return. */
  readonly statusCode = 500;

  constructor(code: WebhookReceiverErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** @param advice a sentence that tells the developer what to change in this framework */
export function bodyAlreadyRead(advice: string): WebhookReceiverError {
  return new WebhookReceiverError(
    "body_already_read",
    `Oriel: the webhook's body was read before it could be verified, and a parsed body can't be verified. ${advice}`,
  );
}
