/**
 * Reads the signing secrets that a caller trusts. They come from the caller's configuration, where they get lost or
 * gain a newline, so whatever is not a whole secret is refused before anything is compared with it. No refusal repeats
 * the value.
 */
import { WebhookVerificationError } from "./webhook-verification-error.ts";

/** One endpoint's signing secret: as it was shown, and the bytes that it stands for. */
export interface SigningSecret {
  text: string;
  key: Uint8Array;
}

/** Secrets that may be trusted at once: two are a rotation, more are several endpoints at one address. */
const maxSecrets = 8;

/** @throws WebhookVerificationError `secret_invalid` unless it is one secret or a list of 1 to 8 */
export function readSigningSecrets(secret: unknown): SigningSecret[] {
  const list: unknown[] = Array.isArray(secret) ? secret : [secret];
  if (list.length >= 1 && list.length <= maxSecrets) return list.map((one) => readSecret(one));
  throw new WebhookVerificationError("secret_invalid", `Pass one signing secret, or a list of 1 to ${maxSecrets}.`);
}

/** `whsec_` and the base64 of 24 to 64 bytes, as the Standard Webhooks specification has it. */
function readSecret(secret: unknown): SigningSecret {
  if (typeof secret === "string" && secret.startsWith("whsec_")) {
    const base64 = secret.slice("whsec_".length);
    const key = Buffer.from(base64, "base64");
    if (key.byteLength >= 24 && key.byteLength <= 64 && key.toString("base64") === base64) return { text: secret, key };
  }
  throw new WebhookVerificationError(
    "secret_invalid",
    "Pass the endpoint's signing secret as it was shown: whsec_... and nothing around it.",
  );
}
