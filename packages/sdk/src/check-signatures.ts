/**
 * Checks that a webhook was signed with a trusted secret. Each webhook is signed in two formats:
 *
 * - `Oriel-Signature: t=<unix>,v1=<hex>[,v1=<hex>]`: HMAC-SHA256 of `t.body`, keyed with the whole `whsec_...` string.
 *   Verifiers written for Stripe can read it.
 * - `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64>[ v1,<base64>]`: HMAC-SHA256 of `id.t.body`,
 *   keyed with the decoded part after `whsec_`. This is Standard Webhooks,
 *   https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * One format is enough, because a proxy may drop the other. But every format that's present must be valid. Nobody who
 * knows the secret would send a wrong signature next to a right one, and another part of the merchant's system may
 * check only the one that's wrong.
 *
 * During a rotation a header contains several signatures, and the caller may trust several secrets. One signature must
 * match one secret. Timestamps must be within the tolerance in both directions. The signature is checked first, so
 * `timestamp_out_of_tolerance` always concerns a genuine message: a replay or a wrong clock.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { SigningSecret } from "./signing-secrets.ts";
import { findHeader, type WebhookHeaders } from "./webhook-headers.ts";
import { WebhookVerificationError } from "./webhook-verification-error.ts";

/** A header with more signatures is refused. */
const maxSignatures = 16;

/** @throws WebhookVerificationError unless every format that's present is valid, and at least one is present */
export function checkSignatures(
  body: Uint8Array,
  headers: WebhookHeaders,
  secrets: readonly SigningSecret[],
  clock: { nowSeconds: number; toleranceSeconds: number },
): void {
  const ours = findHeader(headers, "oriel-signature");
  const standard = {
    id: findHeader(headers, "webhook-id"),
    timestamp: findHeader(headers, "webhook-timestamp"),
    signature: findHeader(headers, "webhook-signature"),
  };
  const hasStandard = Object.values(standard).some((value) => value !== null);
  if (ours === null && !hasStandard) {
    throw new WebhookVerificationError(
      "signature_missing",
      "The request has neither an Oriel-Signature nor a webhook-signature header.",
    );
  }
  if (ours !== null) checkOurs(ours, body, secrets, clock);
  if (hasStandard) checkStandard(standard, body, secrets, clock);
}

function checkOurs(header: string, body: Uint8Array, secrets: readonly SigningSecret[], clock: Clock): void {
  const parts = header.split(",").map((part) => part.trim());
  const timestamps = parts.filter((part) => part.startsWith("t=")).map((part) => part.slice(2));
  const timestamp = readTimestamp(timestamps.length === 1 ? timestamps[0] : undefined, "Oriel-Signature");
  const signatures = parts.filter((part) => part.startsWith("v1=")).map((part) => decodeHex(part.slice(3)));
  const expected = secrets.map(({ text }) => createHmac("sha256", text).update(`${timestamp}.`).update(body).digest());
  requireOne(signatures, expected, "Oriel-Signature");
  requireFresh(timestamp, clock);
}

function checkStandard(
  { id, timestamp: sent, signature }: Record<"id" | "timestamp" | "signature", string | null>,
  body: Uint8Array,
  secrets: readonly SigningSecret[],
  clock: Clock,
): void {
  if (id === null || signature === null || id === "" || id.includes(".")) {
    throw new WebhookVerificationError(
      "signature_missing",
      "Standard Webhooks requires the headers webhook-id, webhook-timestamp and webhook-signature.",
    );
  }
  const timestamp = readTimestamp(sent, "webhook-timestamp");
  const signatures = signature
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .map((part) => decodeBase64(part.slice(3)));
  const expected = secrets.map(({ key }) =>
    createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest(),
  );
  requireOne(signatures, expected, "webhook-signature");
  requireFresh(timestamp, clock);
}

interface Clock {
  nowSeconds: number;
  toleranceSeconds: number;
}

/** Returns the timestamp as text, because the text is what's signed. Accepts only the service's own notation. */
function readTimestamp(text: string | null | undefined, header: string): string {
  if (typeof text === "string" && /^[1-9][0-9]{0,11}$/.test(text)) return text;
  throw new WebhookVerificationError("timestamp_invalid", `${header} must contain one timestamp in Unix seconds.`);
}

function requireFresh(timestamp: string, { nowSeconds, toleranceSeconds }: Clock): void {
  if (Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds) return;
  throw new WebhookVerificationError(
    "timestamp_out_of_tolerance",
    `The webhook was signed more than ${toleranceSeconds} s before or after the current time. It may be a replay, or a clock may be wrong.`,
  );
}

/**
 * Compares all candidates with all expected signatures in constant time, so that timing reveals neither how much of a
 * signature matches nor which one.
 */
function requireOne(candidates: readonly (Uint8Array | null)[], expected: readonly Uint8Array[], header: string): void {
  let matches = false;
  if (candidates.length <= maxSignatures) {
    for (const one of expected) {
      for (const candidate of candidates) {
        if (candidate?.byteLength === one.byteLength && timingSafeEqual(candidate, one)) matches = true;
      }
    }
  }
  if (matches) return;
  throw new WebhookVerificationError(
    "signature_mismatch",
    `The signature in ${header} doesn't match. Verify the raw bytes of the body with this endpoint's signing secret.`,
  );
}

function decodeHex(text: string): Uint8Array | null {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;
}

function decodeBase64(text: string): Uint8Array | null {
  return /^[0-9A-Za-z+/]{43}=$/.test(text) ? Buffer.from(text, "base64") : null;
}
