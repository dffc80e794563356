/**
 * The raw body of a request as Node's frameworks hold it: the stream, still unread, or the bytes that a raw parser made
 * of it. A stream that somebody has begun to read is refused, for what is gone cannot be verified, and waiting for it
 * would take forever.
 */
import type { Readable } from "node:stream";
import { types } from "node:util";
import type { ReceivedWebhook } from "./receive-webhook.ts";
import { bodyAlreadyRead } from "./webhook-receiver-error.ts";

/**
 * @param parsed what frameworks put beside the stream: `body`, and `rawBody` where a platform parses for you and keeps
 *   the bytes
 * @param whatToDo a sentence about this framework
 * @throws WebhookReceiverError `body_already_read`
 */
export function nodeBody(
  stream: Readable,
  parsed: { body?: unknown; rawBody?: unknown },
  whatToDo: string,
): NonNullable<ReceivedWebhook["body"]> {
  for (const bytes of [parsed.rawBody, parsed.body]) if (types.isUint8Array(bytes)) return bytes;
  if (stream.readableDidRead || stream.readableEnded) throw bodyAlreadyRead(whatToDo);
  return stream.iterator({ destroyOnReturn: false }); // Else a request left early loses its socket, which loggers ask for the address.
}
