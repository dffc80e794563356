/**
 * The webhook can't be trusted. Return 400 and do nothing else. The code is for your log. The error never contains the
 * body, a signature or the secret.
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
