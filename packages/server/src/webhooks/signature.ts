/**
 * Two signatures over the exact bytes sent, from one secret, so that receivers of either kind need no change:
 *
 * - `Oriel-Signature: t=<unix>,v1=<hex>`: HMAC-SHA256 of `t.body`, keyed with the whole `whsec_...` string (the scheme Stripe made known).
 * - `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64>`: HMAC-SHA256 of `id.t.body`, keyed with the decoded part
 *   (Standard Webhooks 1.0).
 */
import { createHmac, randomBytes } from "node:crypto";

export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

export function signatureHeaders(secret: string, id: string, timestamp: number, body: string): Record<string, string> {
  const hex = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const base64 = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "oriel-signature": `t=${timestamp},v1=${hex}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${base64}`,
  };
}
