/**
 * Why a handler could not do its work though the sender is not to blame. It goes to the framework's own error path and
 * is answered 500, so that the event is sent again.
 *
 * `body_already_read`: something in front of the handler has read the body; the message says what to change.
 * `event_not_handled`: your `onEvent` threw, and what it threw is the `cause`. That is why it is wrapped: frameworks
 * answer with the status that an error carries, and one that says 410 for reasons of its own would switch the endpoint
 * off.
 */

export type WebhookReceiverErrorCode = "body_already_read" | "event_not_handled";

export class WebhookReceiverError extends Error {
  override readonly name = "WebhookReceiverError";
  readonly code: WebhookReceiverErrorCode;
  /** What Express and Fastify answer. */
  readonly statusCode = 500;

  constructor(code: WebhookReceiverErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** @param whatToDo a sentence about this framework */
export function bodyAlreadyRead(whatToDo: string): WebhookReceiverError {
  return new WebhookReceiverError(
    "body_already_read",
    `Oriel: the webhook's body was read before it came to be verified, and what a parser made of it cannot be. ${whatToDo}`,
  );
}
