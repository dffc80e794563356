/**
 * Verifies a webhook and gives back its event.
 *
 * It trusts nothing but the signing secrets. The body is taken as the raw bytes that arrived, because a body that was
 * parsed and written again is another body. Nothing of it is parsed before its signature was found right.
 */
import { types } from "node:util";
import type { Event } from "@oriel/protocol/api";
import { checkSignatures } from "./check-signatures.ts";
import { readSigningSecrets } from "./signing-secrets.ts";
import type { WebhookHeaders } from "./webhook-headers.ts";
import { WebhookVerificationError } from "./webhook-verification-error.ts";

export interface VerifyOptions {
  /** How far the time of signing may lie from now, in seconds, in both directions, 1 to 86 400. Default 300. */
  toleranceSeconds?: number;
  /** This moment in milliseconds since 1970. Default: the clock. For tests. */
  now?: number;
}

/**
 * Bodies larger than this are refused unread, in bytes. An event holds two sets of metadata, each from a request of at
 * most 64 kB.
 */
export const maxWebhookBytes = 1_000_000;

export const webhooks = Object.freeze({
  /**
   * The event of a delivery that was really signed with `secret`, less than five minutes ago.
   *
   * Deliveries can come twice and in any order: remember `event.id`, and drop what `isNewer` says is the past. A newer
   * service may send types that this version's types do not list; a `switch` needs a `default`.
   *
   * @example
   * const event = webhooks.verify(rawBody, request.headers, process.env.ORIEL_WEBHOOK_SECRET!); if (event.type ===
   * "payment.succeeded") markPaid(event.data.object.session?.metadata["order_id"]);
   * @param rawBody The body as it arrived, not parsed.
   * @param secret The endpoint's signing secret, or up to 8 of which one must fit: the old and the new one while you
   *   rotate.
   * @throws WebhookVerificationError with a code; answer 400. But `secret_invalid` is your configuration's fault, not
   *   the sender's.
   * @throws RangeError for an option out of its range
   */
  verify(
    rawBody: string | Uint8Array | ArrayBuffer,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options: VerifyOptions = {},
  ): Event {
    const toleranceSeconds = readToleranceSeconds(options.toleranceSeconds);
    const nowSeconds = Math.floor((options.now ?? Date.now()) / 1000);
    if (!Number.isFinite(nowSeconds)) throw new RangeError("Oriel: now must be a time in milliseconds.");
    const body = readBody(rawBody);
    checkSignatures(body, headers, readSigningSecrets(secret), { nowSeconds, toleranceSeconds });
    return readEvent(body);
  },
});

/** @throws RangeError */
export function readToleranceSeconds(value: number | undefined): number {
  const toleranceSeconds = value ?? 300;
  if (toleranceSeconds >= 1 && toleranceSeconds <= 86_400) return toleranceSeconds;
  throw new RangeError("Oriel: toleranceSeconds must be from 1 to 86400.");
}

function readBody(rawBody: unknown): Uint8Array {
  const body = asBytes(rawBody);
  if (body === null)
    throw malformed("Pass the raw body, a string or bytes: what a JSON parser made of it cannot be verified.");
  if (body.byteLength === 0) throw malformed("The body is empty: was it read before?");
  if (body.byteLength > maxWebhookBytes) throw malformed(`The body is larger than ${maxWebhookBytes} bytes.`);
  return body;
}

/** Asks what a value is rather than whose class it has: test runners and sandboxes have a `Uint8Array` of their own. */
function asBytes(value: unknown): Uint8Array | null {
  if (typeof value === "string") return Buffer.from(value);
  if (types.isUint8Array(value)) return value;
  return types.isArrayBuffer(value) ? new Uint8Array(value) : null;
}

/**
 * The sender is proved by now; what is left is that it is an event at all, and not another message signed with this
 * secret.
 */
function readEvent(body: Uint8Array): Event {
  const event = parse(body);
  const fits =
    isRecord(event) &&
    event["object"] === "event" &&
    typeof event["id"] === "string" &&
    typeof event["type"] === "string" &&
    isRecord(event["data"]) &&
    isRecord(event["data"]["object"]);
  if (!fits) throw malformed("Signed rightly, but not an event.");
  // The service builds events from the schemas this type comes from, and the signature says that the service built this
  // one.
  return event as unknown as Event;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw malformed("Signed rightly, but not JSON.");
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(message: string): WebhookVerificationError {
  return new WebhookVerificationError("body_malformed", message);
}
