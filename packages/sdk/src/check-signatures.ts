/**
 * Checks that a delivery was signed with a secret that the caller trusts, in either of the two formats it is signed in:
 *
 * - `Oriel-Signature: t=<unix>,v1=<hex>[,v1=<hex>]`: HMAC-SHA256 of `t.body`, key = the whole `whsec_...` string. The
 *   format that verifiers written for Stripe read.
 * - `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64>[ v1,<base64>]`: HMAC-SHA256 of `id.t.body`, key
 *   = the decoded part after `whsec_`. Standard Webhooks,
 *   https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * Which one counts. Deliveries carry both, and a proxy may drop one, so either alone is enough. But *what is there must
 * be right*: a wrong signature beside a right one is refused, because nobody who knows the secret would send it, and
 * because another part of the merchant's system may read the one that we did not. There is no order of preference to
 * exploit.
 *
 * Several signatures in one header are normal while a secret is being rotated, and so are several trusted secrets: one
 * signature must fit one secret. Timestamps must lie within the tolerance in both directions; the signature is checked
 * first, so `timestamp_out_of_tolerance` is only ever said of a genuine message and means a replay or a wrong clock.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { SigningSecret } from "./signing-secrets.ts";
import { findHeader, type WebhookHeaders } from "./webhook-headers.ts";
import { WebhookVerificationError } from "./webhook-verification-error.ts";

/** Signatures in one header that are looked at; more are refused. */
const maxSignatures = 16;

/** @throws WebhookVerificationError unless every format that is there is right, and at least one is there. */
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
      "Neither Oriel-Signature nor webhook-signature is among the headers.",
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
      "webhook-id, webhook-timestamp and webhook-signature belong together.",
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

/** The text itself is signed, so it is kept as sent; it must be written as the service writes it. */
function readTimestamp(text: string | null | undefined, header: string): string {
  if (typeof text === "string" && /^[1-9][0-9]{0,11}$/.test(text)) return text;
  throw new WebhookVerificationError("timestamp_invalid", `${header} must hold one time in unix seconds.`);
}

function requireFresh(timestamp: string, { nowSeconds, toleranceSeconds }: Clock): void {
  if (Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds) return;
  throw new WebhookVerificationError(
    "timestamp_out_of_tolerance",
    `Signed more than ${toleranceSeconds} s away from this clock: a replay, or one of the two clocks is wrong.`,
  );
}

/**
 * Compares every candidate with every expected one in constant time and stops at none: time tells neither how much fits
 * nor which.
 */
function requireOne(candidates: readonly (Uint8Array | null)[], expected: readonly Uint8Array[], header: string): void {
  let fits = false;
  if (candidates.length <= maxSignatures) {
    for (const one of expected) {
      for (const candidate of candidates) {
        if (candidate?.byteLength === one.byteLength && timingSafeEqual(candidate, one)) fits = true;
      }
    }
  }
  if (fits) return;
  throw new WebhookVerificationError(
    "signature_mismatch",
    `${header} does not fit: verify the raw bytes of the body, with the signing secret of this endpoint.`,
  );
}

function decodeHex(text: string): Uint8Array | null {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;
}

function decodeBase64(text: string): Uint8Array | null {
  return /^[0-9A-Za-z+/]{43}=$/.test(text) ? Buffer.from(text, "base64") : null;
}
