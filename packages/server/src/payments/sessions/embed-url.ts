/**
 * The `embed_url` of a session. It contains a client secret in its fragment, which never appears in logs or Referer
 * headers. Only responses that create or replace the URL contain it, and it's stored as a SHA-256 hash. A retry with the
 * same idempotency key gets it from the stored response.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { PlatformContext } from "../../platform/context.ts";
import type { Row } from "../../platform/storage/tables.ts";

/** A URL with a new secret, and the hash to store. */
export function newEmbedUrl(
  { config }: Pick<PlatformContext, "config">,
  sessionId: string,
): { embed_url: string; client_secret_hash: Buffer } {
  const clientSecret = randomBytes(32).toString("base64url");
  return {
    embed_url: `${config.checkoutOrigin}/c/${sessionId}#${clientSecret}`,
    client_secret_hash: hashOf(clientSecret),
  };
}

/** Compares in constant time, so that a guess doesn't reveal how close it was. */
export function isClientSecretOf(
  row: Pick<Row<"checkout_session">, "client_secret_hash">,
  clientSecret: string,
): boolean {
  return timingSafeEqual(row.client_secret_hash, hashOf(clientSecret));
}

function hashOf(clientSecret: string): Buffer {
  return createHash("sha256").update(clientSecret).digest();
}
