/**
 * Two signatures over the exact bytes sent, from one secret, so that receivers for either scheme work unchanged:
 *
 * - `Oriel-Signature: t=<unix>,v1=<hex>`: HMAC-SHA256 of `t.body`, keyed with the whole `whsec_...` string (Stripe's
 *   scheme).
 * - `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64>`: HMAC-SHA256 of `id.t.body`, keyed with the
 *   decoded part (Standard Webhooks 1.0).
 *
 * While two secrets overlap, each header contains a signature for both: `t=...,v1=<hex>,v1=<hex>` and `v1,<base64>
 * v1,<base64>`.
 */
import { createHmac, createSecretKey, randomBytes } from "node:crypto";

export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/**
 * Returns all headers of a webhook except those about the connection.
 *
 * @param secrets the secrets currently in use, newest first
 */
export function webhookHeaders(
  secrets: readonly string[],
  id: string,
  timestampSeconds: number,
  body: string,
): Record<string, string> {
  return {
    "content-type": "application/json; charset=utf-8",
    "user-agent": "Oriel-Webhooks/1",
    ...signatureHeaders(secrets, id, timestampSeconds, body),
  };
}

export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  timestampSeconds: number,
  body: string,
): Record<string, string> {
  const hex = secrets.map((secret) => createHmac("sha256", secret).update(`${timestampSeconds}.${body}`).digest("hex"));
  const base64 = secrets.map((secret) => {
    const key = createSecretKey(secret.slice("whsec_".length), "base64"); // cheaper than a Buffer
    return createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`).digest("base64");
  });
  return {
    "oriel-signature": [`t=${timestampSeconds}`, ...hex.map((signature) => `v1=${signature}`)].join(","),
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": base64.map((signature) => `v1,${signature}`).join(" "),
  };
}
