/**
 * Reads the trusted signing secrets. They come from configuration, where they can be missing or gain a newline, so
 * anything other than complete secrets is refused up front. No error message repeats a value.
 */
import { WebhookVerificationError } from "./webhook-verification-error.ts";

/** An endpoint's signing secret, as text and as decoded bytes. */
export interface SigningSecret {
  text: string;
  key: Uint8Array;
}

/** A rotation needs two secrets. Several endpoints at one URL need more. */
const maxSecrets = 8;

/** @throws WebhookVerificationError `secret_invalid` unless it's one valid secret or a list of 1 to 8 */
export function readSigningSecrets(secret: unknown): SigningSecret[] {
  const list: unknown[] = Array.isArray(secret) ? secret : [secret];
  if (list.length >= 1 && list.length <= maxSecrets) return list.map((one) => readSecret(one));
  throw new WebhookVerificationError(
    "secret_invalid",
    `Pass one signing secret or a list of 1 to ${maxSecrets} signing secrets.`,
  );
}

/** Reads `whsec_` and base64 of 24 to 64 bytes, as specified by Standard Webhooks. */
function readSecret(secret: unknown): SigningSecret {
  if (typeof secret === "string" && secret.startsWith("whsec_")) {
    const base64 = secret.slice("whsec_".length);
    const key = Buffer.from(base64, "base64");
    if (key.byteLength >= 24 && key.byteLength <= 64 && key.toString("base64") === base64) return { text: secret, key };
  }
  throw new WebhookVerificationError(
    "secret_invalid",
    "Pass the endpoint's signing secret exactly as shown: whsec_... without spaces or quotes.",
  );
}
