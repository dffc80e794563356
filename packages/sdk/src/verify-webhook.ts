/**
 * Verifies a webhook and returns its event. It needs the raw bytes of the body, because parsing and serializing changes
 * them. Nothing is parsed before the signature is verified.
 */
import { types } from "node:util";
import type { Event } from "@oriel/protocol/api";
import { checkSignatures } from "./check-signatures.ts";
import { readSigningSecrets } from "./signing-secrets.ts";
import type { WebhookHeaders } from "./webhook-headers.ts";
import { WebhookVerificationError } from "./webhook-verification-error.ts";

export interface VerifyOptions {
  /** How many seconds the signing time may differ from now, in both directions, 1 to 86,400. Default: 300. */
  toleranceSeconds?: number;
  /** The current time in milliseconds since 1970. Default: the system clock. For tests. */
  now?: number;
}

/**
 * Larger bodies are refused unread, in bytes. An event contains two sets of metadata, each from a request of at most 64
 * kB.
 */
export const maxWebhookBytes = 1_000_000;

export const webhooks = Object.freeze({
  /**
   * Returns the event of a webhook that was signed with `secret` less than five minutes ago.
   *
   * Webhooks can arrive twice and in any order. Remember `event.id`, and ignore events that aren't newer (`isNewer`). A
   * newer service may send event types that these types don't list, so add a `default` to each `switch`.
   *
   * @example
   * const event = webhooks.verify(rawBody, request.headers, process.env.ORIEL_WEBHOOK_SECRET!);
   * if (event.type === "payment.succeeded") markPaid(event.data.object.session?.metadata["order_id"]);
   * @param rawBody the body as it arrived, not parsed
   * @param secret the endpoint's signing secret, or up to 8 secrets of which one must match; pass the old and the new
   *   one during a rotation
   * @throws WebhookVerificationError with a code; return 400, except for `secret_invalid`, which is an error in your
   *   configuration
   * @throws RangeError for an option out of range
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
  throw new RangeError("Oriel: toleranceSeconds must be a number from 1 to 86400.");
}

function readBody(rawBody: unknown): Uint8Array {
  const body = asBytes(rawBody);
  if (body === null) throw malformed("Pass the raw body as a string or bytes. A parsed body can't be verified.");
  if (body.byteLength === 0) throw malformed("The body is empty. Check that no other code has read it first.");
  if (body.byteLength > maxWebhookBytes) throw malformed(`The body is larger than ${maxWebhookBytes} bytes.`);
  return body;
}

/** Uses type checks instead of `instanceof`, because test runners and sandboxes have their own `Uint8Array`. */
function asBytes(value: unknown): Uint8Array | null {
  if (typeof value === "string") return Buffer.from(value);
  if (types.isUint8Array(value)) return value;
  return types.isArrayBuffer(value) ? new Uint8Array(value) : null;
}

/**
 * The sender is verified at this point. This checks that the message is an event, not something else signed with this
 * secret.
 */
function readEvent(body: Uint8Array): Event {
  const event = parse(body);
  const isEvent =
    isRecord(event) &&
    event["object"] === "event" &&
    typeof event["id"] === "string" &&
    typeof event["type"] === "string" &&
    isRecord(event["data"]) &&
    isRecord(event["data"]["object"]);
  if (!isEvent) throw malformed("The signature is valid, but the body isn't an event.");
  // The signature proves that the service built this event from the schemas that the type comes from.
  return event as unknown as Event;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw malformed("The signature is valid, but the body isn't JSON.");
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(message: string): WebhookVerificationError {
  return new WebhookVerificationError("body_malformed", message);
}
