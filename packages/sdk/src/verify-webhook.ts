/**
 * Verifies a webhook and gives back its event.
 *
 * It trusts nothing but the signing secret. The body is taken as the raw bytes that arrived, because a body that was parsed and written
 * again is another body. Nothing of it is parsed before its signature was found right.
 */
import type { Event } from "@oriel/protocol/api";
import { checkSignatures } from "./check-signatures.ts";
import type { WebhookHeaders } from "./webhook-headers.ts";
import { WebhookVerificationError } from "./webhook-verification-error.ts";

export interface VerifyOptions {
  /** How far the time of signing may lie from now, in seconds, in both directions, 1 to 86 400. Default 300. */
  toleranceSeconds?: number;
  /** This moment in milliseconds since 1970. Default: the clock. For tests. */
  now?: number;
}

/** Bodies larger than this are refused unread, in bytes. An event holds two sets of metadata, each from a request of at most 64 kB. */
const maxBodyBytes = 1_000_000;

export const webhooks = Object.freeze({
  /**
   * The event of a delivery that was really signed with `secret`, less than five minutes ago.
   *
   * Deliveries can come twice and in any order: remember `event.id`, and drop what has a lower `object_sequence` than you have seen.
   * A newer service may send types that this version's types do not list; a `switch` needs a `default`.
   *
   * @example
   * const event = webhooks.verify(rawBody, request.headers, process.env.ORIEL_WEBHOOK_SECRET);
   * if (event.type === "payment.succeeded") markPaid(event.data.object.session?.metadata["order_id"]);
   * @param rawBody The body as it arrived, not parsed.
   * @throws WebhookVerificationError with a code; answer 400.
   */
  verify(rawBody: string | Uint8Array, headers: WebhookHeaders, secret: string, options: VerifyOptions = {}): Event {
    const toleranceSeconds = options.toleranceSeconds ?? 300;
    if (!(toleranceSeconds >= 1 && toleranceSeconds <= 86_400)) {
      throw new RangeError("Oriel: toleranceSeconds must be from 1 to 86400.");
    }
    const nowSeconds = Math.floor((options.now ?? Date.now()) / 1000);
    if (!Number.isFinite(nowSeconds)) throw new RangeError("Oriel: now must be a time in milliseconds.");
    const body = readBody(rawBody);
    checkSignatures(body, headers, secret, { nowSeconds, toleranceSeconds });
    return readEvent(body);
  },
});

function readBody(rawBody: unknown): Uint8Array {
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw malformed("Pass the raw body, a string or bytes: what a JSON parser made of it cannot be verified.");
  }
  const body = typeof rawBody === "string" ? Buffer.from(rawBody, "utf8") : rawBody;
  if (body.byteLength === 0) throw malformed("The body is empty: was it read before?");
  if (body.byteLength > maxBodyBytes) throw malformed(`The body is larger than ${maxBodyBytes} bytes.`);
  return body;
}

/** The sender is proved by now; what is left is that it is an event at all, and not another message signed with this secret. */
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
  // The service builds events from the schemas this type comes from, and the signature says that the service built this one.
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
