/**
 * Takes webhooks in Fastify 5.
 *
 * It is a plugin and no handler, because the body must stay as it arrived: the plugin has a scope of its own, where
 * bodies are not parsed. The rest of the app keeps its parsers. Only a hook further out that has read the body itself
 * is in the way; then it refuses to work and says so. What `onEvent` throws, and that refusal, goes the way of all
 * errors in Fastify as a `WebhookReceiverError`: it is logged, your error handler sees it, and the answer is 500.
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
  /** Where webhooks come in, as in `/webhooks/oriel`. */
  path: string;
}

/**
 * A plugin with one route, which answers 204 when `onEvent` is done, 400 to what is not genuine, 405 to what is not
 * POST, 413 to more than 1 MB, and 500 when `onEvent` throws.
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
 * @throws WebhookVerificationError `secret_invalid`, RangeError or TypeError for options that cannot work, when the app
 *   gets ready
 */
export const webhookRoute: FastifyPluginAsync<WebhookRouteOptions> = async (scope, { path, ...options }) => {
  const receive = createReceiver(options);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload)); // It is read in the handler.

  scope.all(path, async (request, reply) => {
    const { method, headers } = request;
    const { status, headers: answered, text } = await receive({ method, headers, body: bodyOf(request) });
    return reply.code(status).headers(answered).send(text);
  });
};

/**
 * The stream as the parser above leaves it, unless a hook has put something else in its place. Nothing: a request
 * without a body.
 */
function bodyOf(request: { body: unknown; rawBody?: unknown }): ReceivedWebhook["body"] {
  const { body } = request;
  if (body === null || body === undefined) return null;
  if (body instanceof Readable) return nodeBody(body, { rawBody: request.rawBody }, whatToDo);
  if (types.isUint8Array(body)) return body;
  throw bodyAlreadyRead(whatToDo);
}

const whatToDo =
  "Keep hooks and middleware that read bodies, such as express.json() under @fastify/express, away from the path of webhookRoute.";
