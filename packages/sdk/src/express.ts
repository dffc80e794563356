/**
 * Takes webhooks in Express 5 and 4, and in whatever else calls `(request, response, next)`.
 *
 * It reads the raw body itself, so no parser may come before it: register it above `app.use(express.json())`, or give
 * its path `express.raw({ type: "application/json" })`. Behind a JSON parser it refuses to work and says so. What
 * `onEvent` throws, and that refusal, goes to `next(error)` as a `WebhookReceiverError`: your error handlers see it,
 * and Express answers 500.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { inspect } from "node:util";
import { nodeBody } from "./node-body.ts";
import { createReceiver, type WebhookHandlerOptions } from "./receive-webhook.ts";
import { WebhookReceiverError } from "./webhook-receiver-error.ts";

export type { WebhookHandlerOptions } from "./receive-webhook.ts";
export { WebhookReceiverError } from "./webhook-receiver-error.ts";

/** A handler as Express calls it. No type of Express is named, so every version's fits. */
export type ExpressWebhookHandler = (
  request: IncomingMessage & { body?: unknown; rawBody?: unknown },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/**
 * A route handler that answers 204 when `onEvent` is done, 400 to what is not genuine, 413 to more than 1 MB, and 500
 * when `onEvent` throws. With `app.all` or `app.use` it answers 405 to what is not POST.
 *
 * @example
 * import { webhookHandler } from "@oriel/sdk/express";
 *
 * app.post("/webhooks/oriel", webhookHandler({
 *   secret: process.env.ORIEL_WEBHOOK_SECRET!,
 *   onEvent: async (event) => {
 *     if (event.type === "payment.succeeded") await markPaid(event.data.object);
 *   },
 * })); app.use(express.json()); // after it
 * @throws WebhookVerificationError `secret_invalid`, RangeError or TypeError for options that cannot work
 */
export function webhookHandler(options: WebhookHandlerOptions): ExpressWebhookHandler {
  const receive = createReceiver(options);
  return async (request, response, next) => {
    try {
      const body = nodeBody(request, request, whatToDo);
      const { status, headers, text } = await receive({ method: request.method, headers: request.headers, body });
      response.writeHead(status, headers).end(text);
    } catch (error) {
      next(withCauseInStack(error));
    }
  };
}

const whatToDo =
  'Register this route above app.use(express.json()), or give its path express.raw({ type: "application/json" }) instead of a JSON parser.';

/** Express logs an error's stack and nothing else, and the cause is what one needs to see. */
function withCauseInStack(error: unknown): unknown {
  if (error instanceof WebhookReceiverError && error.cause !== undefined) {
    error.stack = `${error.stack}\nCaused by: ${inspect(error.cause)}`;
  }
  return error;
}
