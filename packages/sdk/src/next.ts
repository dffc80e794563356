/**
 * Takes webhooks in route handlers of Next's app router, on the Node runtime, and in whatever else maps a `Request` to
 * a `Response`.
 *
 * It reads the raw body itself: wrapped in a function that calls `request.json()` before, it refuses to work and says
 * so. What `onEvent` throws, and that refusal, is thrown on as a `WebhookReceiverError`: Next logs it, reports it to
 * `instrumentation.ts`, and answers 500.
 *
 * The options are looked at when the first webhook comes and not before, because `next build` loads route handlers
 * where no secret is.
 */
import { receiveRequest } from "./receive-request.ts";
import { createReceiver, type ReceiveWebhook, type WebhookHandlerOptions } from "./receive-webhook.ts";

export type { WebhookHandlerOptions } from "./receive-webhook.ts";
export { WebhookReceiverError } from "./webhook-receiver-error.ts";

/**
 * A route handler that answers 204 when `onEvent` is done, 400 to what is not genuine, 413 to more than 1 MB, and 500
 * when `onEvent` throws. Exported as `POST` and nothing else, Next answers 405 to every other method.
 *
 * @example
 * // app/webhooks/oriel/route.ts import { webhookHandler } from "@oriel/sdk/next";
 *
 * export const POST = webhookHandler({
 *   secret: process.env.ORIEL_WEBHOOK_SECRET!,
 *   onEvent: async (event) => {
 *     if (event.type === "payment.succeeded") await markPaid(event.data.object);
 *   },
 * });
 * @throws nothing here; the handler throws for options that cannot work, and Next answers 500
 */
export function webhookHandler(options: WebhookHandlerOptions): (request: Request) => Promise<Response> {
  let receive: ReceiveWebhook | undefined;
  return async (request) => receiveRequest((receive ??= createReceiver(options)), request, whatToDo);
}

const whatToDo =
  "Export what webhookHandler returns as POST, and call neither request.json() nor request.text() around it.";
