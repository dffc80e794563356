/**
 * Receives webhooks in Express 5 and 4, and in other frameworks that call `(request, response, next)`.
 *
 * The handler reads the raw body itself, so no parser may run before it. Register it above `app.use(express.json())`,
 * or use `express.raw({ type: "application/json" })` on its path. After a JSON parser it fails with an explanation.
 * That error, and errors that `onEvent` throws, go to `next(error)` as a `WebhookReceiverError`. Your error handlers
 * see it, and Express returns 500.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { inspect } from "node:util";
import { nodeBody } from "./node-body.ts";
import { createReceiver, type WebhookHandlerOptions } from "./receive-webhook.ts";
import { WebhookReceiverError } from "./webhook-receiver-error.ts";

export type { WebhookHandlerOptions } from "./receive-webhook.ts";
export { WebhookReceiverError } from "./webhook-receiver-error.ts";

/** A handler as Express calls it. It doesn't use Express's types, so it works with every version. */
export type ExpressWebhookHandler = (
  request: IncomingMessage & { body?: unknown; rawBody?: unknown },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/**
 * Creates a route handler. It returns 204 when `onEvent` is done, 400 if the webhook isn't genuine, 413 if it's larger
 * than 1 MB, and 500 if `onEvent` throws. With `app.all` or `app.use` it returns 405 for methods other than POST.
 *
 * @example
 * import { webhookHandler } from "@oriel/sdk/express";
 *
 * app.post("/webhooks/oriel", webhookHandler({
 *   secret: process.env.ORIEL_WEBHOOK_SECRET!,
 *   onEvent: async (event) => {
 *     if (event.type === "payment.succeeded") await markPaid(event.data.object);
 *   },
 * }));
 * app.use(express.json()); // must come after the webhook route
 * @throws WebhookVerificationError `secret_invalid`, RangeError or TypeError for invalid options
 */
export function webhookHandler(options: WebhookHandlerOptions): ExpressWebhookHandler {
  const receive = createReceiver(options);
  return async (request, response, next) => {
    try {
      const body = nodeBody(request, request, advice);
      const { status, headers, text } = await receive({ method: request.method, headers: request.headers, body });
      response.writeHead(status, headers).end(text);
    } catch (error) {
      next(withCauseInStack(error));
    }
  };
}

const advice =
  'Register this route before app.use(express.json()), or use express.raw({ type: "application/json" }) on its path instead of a JSON parser.';

/** Express logs only an error's stack, so the cause is appended to it. */
function withCauseInStack(error: unknown): unknown {
  if (error instanceof WebhookReceiverError && error.cause !== undefined) {
    error.stack = `${error.stack}\nCaused by: ${inspect(error.cause)}`;
  }
  return error;
}
