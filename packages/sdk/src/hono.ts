/**
 * Takes webhooks in Hono 4 on Node.
 *
 * It reads the raw body itself, so no middleware may read it before: behind one that calls `c.req.json()` it refuses to
 * work and says so. What `onEvent` throws, and that refusal, is thrown on as a `WebhookReceiverError`: `app.onError`
 * sees it, and without one Hono logs it and answers 500. An `app.onError` of yours must answer it with 500 too, or the
 * event counts as taken.
 */
import { receiveRequest } from "./receive-request.ts";
import { createReceiver, type WebhookHandlerOptions } from "./receive-webhook.ts";

export type { WebhookHandlerOptions } from "./receive-webhook.ts";
export { WebhookReceiverError } from "./webhook-receiver-error.ts";

/** A handler as Hono calls it. No type of Hono is named, so every app's environment fits. */
export type HonoWebhookHandler = (context: { req: { raw: Request } }) => Promise<Response>;

/**
 * A handler that answers 204 when `onEvent` is done, 400 to what is not genuine, 413 to more than 1 MB, and 500 when
 * `onEvent` throws. With `app.all` it answers 405 to what is not POST.
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
 * @throws WebhookVerificationError `secret_invalid`, RangeError or TypeError for options that cannot work
 */
export function webhookHandler(options: WebhookHandlerOptions): HonoWebhookHandler {
  const receive = createReceiver(options);
  return async (context) => receiveRequest(receive, context.req.raw, whatToDo);
}

const whatToDo = "Register this route above middleware that reads bodies: c.req.json(), c.req.text(), validators.";
