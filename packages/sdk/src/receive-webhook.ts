/**
 * Receives a webhook. This is the shared core of the handlers for Express, Fastify, Hono and Next, which only convert
 * requests and responses.
 *
 * | Webhook                                        | Response | The sender        |
 * | ---------------------------------------------- | -------- | ----------------- |
 * | genuine, and `onEvent` succeeds                | 204      | is done           |
 * | not POST                                       | 405      |                   |
 * | larger than 1 MB                               | 413      |                   |
 * | unsigned, wrong signature, too old or no event | 400      | retries later     |
 * | genuine, but `onEvent` throws                  | throws   | retries later     |
 *
 * A refusal contains only an error code, which reveals nothing to someone who can't sign. The server limits how long a
 * body may take to arrive, in Node with `requestTimeout`.
 */
import { types } from "node:util";
import type { Event } from "@oriel/protocol/api";
import { readSigningSecrets } from "./signing-secrets.ts";
import { maxWebhookBytes, readToleranceSeconds, webhooks } from "./verify-webhook.ts";
import type { WebhookHeaders } from "./webhook-headers.ts";
import { WebhookReceiverError } from "./webhook-receiver-error.ts";
import { WebhookVerificationError } from "./webhook-verification-error.ts";

/** Options of every handler. */
export interface WebhookHandlerOptions {
  /**
   * The endpoint's signing secret, `whsec_...`, or up to 8 secrets of which one must match. Pass the old and the new
   * one during a rotation.
   */
  secret: string | readonly string[];
  /**
   * Called and awaited for each verified event. If it throws, the response is 500 and the event is sent again. The
   * sender waits for 15 seconds, so put long work into a queue. Events can arrive twice and in any order, see
   * `isNewer`.
   */
  onEvent: (event: Event) => unknown;
  /** How many seconds the signing time may differ from now, in both directions, 1 to 86,400. Default: 300. */
  toleranceSeconds?: number;
}

export interface ReceivedWebhook {
  method: string | undefined;
  headers: WebhookHeaders;
  /** The unread body, or the bytes as they arrived. Reading stops early if the body is too long. */
  body: AsyncIterable<unknown> | Uint8Array | null;
}

export interface WebhookResponse {
  status: 204 | 400 | 405 | 413;
  headers: Record<string, string>;
  text: string;
}

export type ReceiveWebhook = (webhook: ReceivedWebhook) => Promise<WebhookResponse>;

/**
 * @throws WebhookVerificationError `secret_invalid`, RangeError or TypeError for invalid options
 * @returns a function that throws WebhookReceiverError `event_not_handled` if `onEvent` throws, and any error of the
 *   stream
 */
export function createReceiver(options: WebhookHandlerOptions): ReceiveWebhook {
  const { secret, onEvent } = options;
  const toleranceSeconds = readToleranceSeconds(options.toleranceSeconds);
  readSigningSecrets(secret);
  if (typeof onEvent !== "function") throw new TypeError("Oriel: onEvent must be a function.");

  return async ({ method, headers, body }) => {
    if (method !== "POST") return respond(405, "Webhooks must be sent with POST.", { allow: "POST" });
    const bytes = await readBytes(body);
    if (bytes === null) return respond(413, "The body exceeds the size limit for webhooks.", { connection: "close" });
    let event: Event;
    try {
      event = webhooks.verify(bytes, headers, secret, { toleranceSeconds });
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return respond(400, `Webhook refused: ${error.code}.`);
    }
    await handle(event, onEvent);
    return { status: 204, headers: {}, text: "" };
  };
}

/** Returns null if the body is larger than any webhook. The rest is left unread. */
async function readBytes(body: ReceivedWebhook["body"]): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  if (types.isUint8Array(body)) return body.byteLength > maxWebhookBytes ? null : body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (!types.isUint8Array(chunk))
      throw new TypeError("Oriel: the request body must be a stream of bytes. Don't call setEncoding on it.");
    bytes += chunk.byteLength;
    if (bytes > maxWebhookBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

async function handle(event: Event, onEvent: WebhookHandlerOptions["onEvent"]): Promise<void> {
  try {
    await onEvent(event);
  } catch (cause) {
    const message = `Oriel: onEvent threw an error for event ${event.id} (${event.type}). The event will be sent again.`;
    throw new WebhookReceiverError("event_not_handled", message, { cause });
  }
}

function respond(
  status: WebhookResponse["status"],
  text: string,
  headers: Record<string, string> = {},
): WebhookResponse {
  return { status, text, headers: { "content-type": "text/plain; charset=utf-8", ...headers } };
}
