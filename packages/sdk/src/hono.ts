/**
 * Receives webhooks in Hono 4 on Node.
 *
 * The handler reads the raw body itself, so no middleware may read it before. After `c.req.json()` it fails with an
 * explanation. That error, and errors that `onEvent` throws, are thrown as a `WebhookReceiverError`. `app.onError` sees
 * it. Without one, Hono logs it and returns 500. If you have an `app.onError`, it must return 500, too, or the event
 * counts as received.
 */
import { receiveRequest } from "./receive-request.ts";
import { createReceiver, type WebhookHandlerOptions } from "./receive-webhook.ts";

export type { WebhookHandlerOptions } from "./receive-webhook.ts";
export { WebhookReceiverError } from "./webhook-receiver-error.ts";

/** A handler as Hono calls it. It doesn't use Hono's types, so it works with every app's environment. */
export type HonoWebhookHandler = (context: { req: { raw: Request } }) => Promise<Response>;

/**
 * Creates a handler. It returns 204 when `onEvent` is done, 400 if the webhook isn't genuine, 413 if it's larger than
 * 1 MB, and 500 if `onEvent` throws. With `app.all` it returns 405 for methods other than POST.
 *
 * @example
 * import { webhookHandler } from "@oriel/sdk/hono";
 *
 * app.post("/webhooks/oriel", webhookHandler({
 *   secret: process.env.ORIEL_WEBHOOK_SECRET!,
 *   onEvent: async (event) => {
 *     if (event.type === "payment.succeeded") await markPaid(event.data.object);
 *   },
 * }));
 * @throws WebhookVerificationError `secret_invalid`, RangeError or TypeError for invalid options
 */
export function webhookHandler(options: WebhookHandlerOptions): HonoWebhookHandler {
  const receive = createReceiver(options);
  return async (context) => receiveRequest(receive, context.req.raw, advice);
}

const advice =
  "Register this route before middleware that reads the body, such as validators, c.req.json() or c.req.text().";
