/**
 * Why a delivery is not believed. Answer it with 400 and do nothing else; the code is for your log.
 * Neither the message nor any field repeats the body, a signature or the secret.
 */

export type WebhookErrorCode =
  | "signature_missing"
  | "timestamp_invalid"
  | "timestamp_out_of_tolerance"
  | "signature_mismatch"
  | "body_malformed"
  | "secret_invalid";

export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
