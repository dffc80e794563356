/**
 * Receives a webhook: what the handlers for Express, Fastify, Hono and Next have in common. A request goes in as
 * method, headers and raw body, an answer comes out; the adapters do nothing but translate.
 *
 * | what comes                                         | answer | what the sender does then |
 * | -------------------------------------------------- | ------ | ------------------------- |
 * | a genuine event, and `onEvent` is done with it     | 204    | is content                |
 * | not POST                                           | 405    |                           |
 * | a body over 1 MB                                   | 413    |                           |
 * | not signed, signed wrongly, too old, not an event  | 400    | tries again later         |
 * | a genuine event, and `onEvent` throws              | throws | tries again later         |
 *
 * It trusts what was signed with one of the secrets and nothing else. A refusal says why in one word, which tells
 * whoever cannot sign nothing he does not know. How long a body may take to arrive is the server's matter, in Node its
 * `requestTimeout`.
 */
import { types } from "node:util";
import type { Event } from "@oriel/protocol/api";
import { readSigningSecrets } from "./signing-secrets.ts";
import { maxWebhookBytes, readToleranceSeconds, webhooks } from "./verify-webhook.ts";
import type { WebhookHeaders } from "./webhook-headers.ts";
import { WebhookReceiverError } from "./webhook-receiver-error.ts";
import { WebhookVerificationError } from "./webhook-verification-error.ts";

/** What every handler takes. */
export interface WebhookHandlerOptions {
  /**
   * The endpoint's signing secret, `whsec_...`, or up to 8 of which one must fit: the old and the new one while you
   * rotate.
   */
  secret: string | readonly string[];
  /**
   * Called with each event that was verified, and awaited; what it returns is not used. When it throws, the answer is
   * 500 and the event is sent again. The sender waits for 15 seconds: put long work into a queue. Events can come twice
   * and in any order: see `isNewer`.
   */
  onEvent: (event: Event) => unknown;
  /** How far the time of signing may lie from now, in seconds, in both directions, 1 to 86 400. Default 300. */
  toleranceSeconds?: number;
}

export interface ReceivedWebhook {
  method: string | undefined;
  headers: WebhookHeaders;
  /** Not read yet, or the very bytes that arrived. A stream is left early when it is too long. */
  body: AsyncIterable<unknown> | Uint8Array | null;
}

export interface WebhookAnswer {
  status: 204 | 400 | 405 | 413;
  headers: Record<string, string>;
  text: string;
}

export type ReceiveWebhook = (webhook: ReceivedWebhook) => Promise<WebhookAnswer>;

/**
 * @throws WebhookVerificationError `secret_invalid`, RangeError or TypeError for options that cannot work
 * @returns a function that throws WebhookReceiverError `event_not_handled` when `onEvent` throws, and what the stream
 *   throws when it breaks
 */
export function createReceiver(options: WebhookHandlerOptions): ReceiveWebhook {
  const { secret, onEvent } = options;
  const toleranceSeconds = readToleranceSeconds(options.toleranceSeconds);
  readSigningSecrets(secret);
  if (typeof onEvent !== "function") throw new TypeError("Oriel: onEvent must be a function that takes an event.");

  return async ({ method, headers, body }) => {
    if (method !== "POST") return answer(405, "Webhooks are sent with POST.", { allow: "POST" });
    const bytes = await readBytes(body);
    if (bytes === null) return answer(413, "No webhook is as large as this.", { connection: "close" });
    let event: Event;
    try {
      event = webhooks.verify(bytes, headers, secret, { toleranceSeconds });
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return answer(400, `Webhook refused: ${error.code}.`);
    }
    await handle(event, onEvent);
    return { status: 204, headers: {}, text: "" };
  };
}

/** Null when there is more than any webhook has. What is beyond that is left unread. */
async function readBytes(body: ReceivedWebhook["body"]): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  if (types.isUint8Array(body)) return body.byteLength > maxWebhookBytes ? null : body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (!types.isUint8Array(chunk))
      throw new TypeError("Oriel: the body must be a stream of bytes, without an encoding.");
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
    const message = `Oriel: onEvent threw for the event ${event.id} (${event.type}); it will be sent again.`;
    throw new WebhookReceiverError("event_not_handled", message, { cause });
  }
}

function answer(status: WebhookAnswer["status"], text: string, headers: Record<string, string> = {}): WebhookAnswer {
  return { status, text, headers: { "content-type": "text/plain; charset=utf-8", ...headers } };
}
