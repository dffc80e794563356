/**
 * The webhook endpoint. Only a request to it can mark an order as paid or placed.
 *
 * The body stays as the bytes received, because the signature covers them, and nothing happens until it's verified. An
 * invalid signature gets 400. A verified event gets 200 even if it's about nothing we know, because sending it again
 * would change nothing. If the payment service refuses a request or doesn't respond, the event gets 502, so it's sent
 * again.
 */
import type { FastifyInstance } from "fastify";
import { type CheckoutSessions, WebhookVerificationError, webhooks } from "@oriel/sdk";
import { applyEvent } from "./apply-event.ts";
import type { Orders } from "./orders.ts";

/** An event contains up to two sets of metadata, each from a request of at most 64 kB. */
const maxBodyBytes = 256_000;

export function registerWebhookRoute(
  app: FastifyInstance,
  orders: Orders,
  sessions: CheckoutSessions,
  webhookSecret: string,
): void {
  // In a separate scope, because other routes parse their bodies and this one must not.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, body),
    );

    scope.post("/webhooks/oriel", async (request, reply) => {
      const rawBody = Buffer.isBuffer(request.body) ? request.body : "";
      try {
        const event = webhooks.verify(rawBody, request.headers, webhookSecret);
        const outcome = await applyEvent(event, orders, sessions);
        if (outcome === "mismatch" || outcome === "unknown_order")
          request.log.warn({ event: event.id, outcome }, "webhook isn't about one of our orders");
        return { received: true, outcome };
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
        request.log.warn({ code: error.code }, "webhook refused");
        return reply.code(400).send({ error: error.code });
      }
    });
  });
}
