/**
 * Receives webhooks in Fastify 5.
 *
 * This is a plugin, not a handler, because it needs the raw body: it turns body parsing off within its own scope, and
 * the rest of the app keeps its parsers. If an outer hook has already read the body, the route fails with an
 * explanation. That error, and errors that `onEvent` throws, are thrown as a `WebhookReceiverError`. Fastify logs it,
 * your error handler sees it, and the response is 500.
 */
import { Readable } from "node:stream";
import { types } from "node:util";
import type { FastifyPluginAsync } from "fastify";
import { nodeBody } from "./node-body.ts";
import { createReceiver, type ReceivedWebhook, type WebhookHandlerOptions } from "./receive-webhook.ts";
import { bodyAlreadyRead } from "./webhook-receiver-error.ts";

export type { WebhookHandlerOptions } from "./receive-webhook.ts";
export { WebhookReceiverError } from "./webhook-receiver-error.ts";

export interface WebhookRouteOptions extends WebhookHandlerOptions {
  /** The route's path, for example `/webhooks/oriel`. */
  path: string;
}

/**
 * A plugin with one route. It returns 204 when `onEvent` is done, 400 if the webhook isn't genuine, 405 for methods
 * other than POST, 413 if the body is larger than 1 MB, and 500 if `onEvent` throws.
 *
 * @example
 * import { webhookRoute } from "@oriel/sdk/fastify";
 *
 * app.register(webhookRoute, {
 *   path: "/webhooks/oriel",
 *   secret: process.env.ORIEL_WEBHOOK_SECRET!,
 *   onEvent: async (event) => {
 *     if (event.type === "payment.succeeded") await markPaid(event.data.object);
 *   },
 * });
 * @throws WebhookVerificationError `secret_invalid`, RangeError or TypeError for invalid options, when the app starts
 */
export const webhookRoute: FastifyPluginAsync<WebhookRouteOptions> = async (scope, { path, ...options }) => {
  const receive = createReceiver(options);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload)); // the handler reads it

  scope.all(path, async (request, reply) => {
    const { method, headers } = request;
    const { status, headers: responseHeaders, text } = await receive({ method, headers, body: bodyOf(request) });
    return reply.code(status).headers(responseHeaders).send(text);
  });
};

/** Returns the stream that the parser above passed through, bytes if a hook has read it, or null if there's no body. */
function bodyOf(request: { body: unknown; rawBody?: unknown }): ReceivedWebhook["body"] {
  const { body } = request;
  if (body === null || body === undefined) return null;
  if (body instanceof Readable) return nodeBody(body, { rawBody: request.rawBody }, advice);
  if (types.isUint8Array(body)) return body;
  throw bodyAlreadyRead(advice);
}

const advice =
  "On the path of webhookRoute, don't run hooks or middleware that read the body, such as express.json() with @fastify/express.";
