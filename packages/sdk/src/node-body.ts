/**
 * Finds the raw body of a request in Node frameworks: the unread stream, or the bytes that a raw parser read. A stream
 * that was partly read is refused, because the rest can't be verified and waiting for it could take forever.
 */
import type { Readable } from "node:stream";
import { types } from "node:util";
import type { ReceivedWebhook } from "./receive-webhook.ts";
import { bodyAlreadyRead } from "./webhook-receiver-error.ts";

/**
 * @param parsed what frameworks add to the request: `body`, and `rawBody` on platforms that parse bodies and keep the
 *   bytes
 * @param advice a sentence that tells the developer what to change in this framework
 * @throws WebhookReceiverError `body_already_read`
 */
export function nodeBody(
  stream: Readable,
  parsed: { body?: unknown; rawBody?: unknown },
  advice: string,
): NonNullable<ReceivedWebhook["body"]> {
  for (const bytes of [parsed.rawBody, parsed.body]) if (types.isUint8Array(bytes)) return bytes;
  if (stream.readableDidRead || stream.readableEnded) throw bodyAlreadyRead(advice);
  // Keep the stream open after an early exit. Otherwise the socket is gone, and loggers can't read the client's IP
  // address.
  return stream.iterator({ destroyOnReturn: false });
}
