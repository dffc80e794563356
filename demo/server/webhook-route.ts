/**
 * Where the payment service tells the shop what really happened. The only request that can make an order paid.
 *
 * The body is kept as the bytes that arrived, because the signature is over them, and nothing is done before it was
 * verified. A wrong signature gets 400. What is verified gets 200 even when it is about nothing we know: sending it
 * again would change nothing.
 */
import { WebhookVerificationError, webhooks } from "@oriel/sdk";
import type { FastifyInstance } from "fastify";
import type { Orders } from "./orders.ts";

/** An event holds two sets of metadata, each from a request of at most 64 kB. */
const maxBodyBytes = 256_000;

export function registerWebhookRoute(app: FastifyInstance, orders: Orders, webhookSecret: string): void {
  // A scope of its own: everywhere else a body may be parsed before anyone sees it, here never.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, body),
    );

    scope.post("/webhooks/oriel", async (request, reply) => {
      const rawBody = Buffer.isBuffer(request.body) ? request.body : "";
      try {
        const event = webhooks.verify(rawBody, request.headers, webhookSecret);
        const outcome = orders.apply(event);
        if (outcome === "mismatch" || outcome === "unknown_order")
          request.log.warn({ event: event.id, outcome }, "webhook is not about an order of ours");
        return { received: true, outcome };
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
        request.log.warn({ code: error.code }, "webhook refused");
        return reply.code(400).send({ error: error.code });
      }
    });
  });
}
