/**
 * Receives webhooks in route handlers of the Next.js App Router on the Node runtime, and in other frameworks that map a
 * `Request` to a `Response`.
 *
 * The handler reads the raw body itself. If you wrap it in a function that calls `request.json()` first, it fails with
 * an explanation. That error, and errors that `onEvent` throws, are thrown as a `WebhookReceiverError`. Next logs it,
 * reports it to `instrumentation.ts` and returns 500.
 *
 * Options are validated when the first webhook arrives, because `next build` loads route handlers without secrets.
 */
import { receiveRequest } from "./receive-request.ts";
import { createReceiver, type ReceiveWebhook, type WebhookHandlerOptions } from "./receive-webhook.ts";

export type { WebhookHandlerOptions } from "./receive-webhook.ts";
export { WebhookReceiverError } from "./webhook-receiver-error.ts";

/**
 * Creates a route handler. It returns 204 when `onEvent` is done, 400 if the webhook isn't genuine, 413 if it's larger
 * than 1 MB, and 500 if `onEvent` throws. Export it only as `POST`, and Next returns 405 for other methods.
 *
 * @example
 * // app/webhooks/oriel/route.ts
 * import { webhookHandler } from "@oriel/sdk/next";
 *
 * export const POST = webhookHandler({
 *   secret: process.env.ORIEL_WEBHOOK_SECRET!,
 *   onEvent: async (event) => {
 *     if (event.type === "payment.succeeded") await markPaid(event.data.object);
 *   },
 * });
 * @throws nothing; with invalid options the handler itself throws, and Next returns 500
 */
export function webhookHandler(options: WebhookHandlerOptions): (request: Request) => Promise<Response> {
  let receive: ReceiveWebhook | undefined;
  return async (request) => receiveRequest((receive ??= createReceiver(options)), request, advice);
}

const advice =
  "Export the result of webhookHandler as POST. Don't call request.json() or request.text() before it runs.";
