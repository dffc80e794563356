/**
 * Assembles the shop: pages, orders and the webhook. It's a merchant's server as the docs describe it, with only
 * `@oriel/sdk`.
 *
 * It trusts the payment service's responses and verified webhooks. It doesn't trust the browser about products, prices
 * or payments. The pages' CSP shows everything that a merchant must allow: one origin.
 */
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import Fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { createClient, OrielError } from "@oriel/sdk";
import { type Order, Orders, type Way, ways } from "./orders.ts";
import { fillPage, pagesDir, type PageName } from "./page-templates.ts";
import { type Bill, formatAmount, priceParts, product } from "./prices.ts";
import { replyToCode } from "./reply-to-code.ts";
import type { ShopConfig } from "./shop-config.ts";
import { registerWebhookRoute } from "./webhook-route.ts";

export function createShop(config: ShopConfig, logLevel: "warn" | "silent" = "warn"): FastifyInstance {
  const app = Fastify({
    logger: { level: logLevel },
    bodyLimit: 10_000,
    requestTimeout: 30_000,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
  });
  const oriel = createClient({ apiUrl: config.apiUrl, secretKey: config.secretKey, totalTimeoutMs: 10_000 });
  const orders = new Orders(config.dataDir);
  const headers = securityHeaders(config.checkoutOrigin);

  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(headers);
  });
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  void app.register(fastifyStatic, { root: join(pagesDir, "assets"), prefix: "/assets/", decorateReply: true });
  registerWebhookRoute(app, orders, oriel.checkoutSessions, config.webhookSecret);

  app.get("/healthz", async () => ({ status: "ok" }));

  app.get("/", async (_request, reply) => page(reply, "index", shown));

  app.get("/script", async (_request, reply) => {
    const { order, embedUrl } = await openOrder("script");
    return page(reply, "script", {
      ...shown,
      checkoutOrigin: config.checkoutOrigin,
      embedUrl,
      orderUrl: `/orders/${order.id}`,
    });
  });

  app.get("/redirect", async (_request, reply) => page(reply, "redirect", shown));

  app.get("/app/assets/main.js", async (_request, reply) =>
    reply.sendFile("main.js", join(import.meta.dirname, "../../dist/shop")),
  );
  for (const route of ["/app", "/app/*"]) app.get(route, async (_request, reply) => page(reply, "app", shown));

  app.post("/orders", async (request, reply) => {
    const way = readWay(request.body);
    if (!way) return reply.code(400).send({ error: `way must be one of ${ways.join(", ")}` });
    const { order, embedUrl } = await openOrder(way);
    void reply.header("cache-control", "no-store"); // the URL contains the session's secret
    if (way === "redirect") return reply.redirect(embedUrl, 303);
    return { order_id: order.id, embed_url: embedUrl };
  });

  app.get<{ Params: { id: string } }>("/orders/:id.json", async (request, reply) => {
    const order = orders.get(request.params.id);
    if (!order) return reply.code(404).send({ error: "no such order" });
    const { id, status, failed_payments, bill } = order;
    const receipt = bill && receiptTexts(bill);
    return reply.header("cache-control", "no-store").send({ id, status, failed_payments, receipt });
  });

  // The page reports that the customer has entered a promotion code, usually before the webhook does.
  app.post<{ Params: { id: string } }>("/orders/:id/code", async (request, reply) => {
    const sessionId = orders.get(request.params.id)?.session_id;
    if (!sessionId) return reply.code(404).send({ error: "no such order" });
    await replyToCode(oriel.checkoutSessions, sessionId);
    return reply.code(204).send();
  });

  app.get<{ Params: { id: string } }>("/orders/:id", async (request, reply) => {
    const order = orders.get(request.params.id);
    if (!order) return message(reply, 404, "No such order", "We couldn’t find this order.");
    return page(reply, "order", {
      ...shown,
      orderId: order.id,
      status: order.status,
      failedPayments: String(order.failed_payments),
      ...(order.bill ? receiptTexts(order.bill) : { shipping: "", discount: "", total: "" }),
    });
  });

  app.setNotFoundHandler((_request, reply) =>
    message(reply, 404, "Nothing here", "This page does not exist. The cup does."),
  );

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof OrielError) {
      request.log.error(
        { type: error.type, code: error.code, requestId: error.requestId },
        "the payment service refused or didn't respond",
      );
      return message(
        reply,
        502,
        "Checkout unavailable",
        "The payment service isn’t responding. Nothing was charged. Please try again in a minute.",
      );
    }
    const status = statusOf(error);
    if (status >= 500) request.log.error(error);
    return message(reply, status, "Something went wrong", "Please go back and try again.");
  });

  /** Creates an order and its session. The order's ID is the request's idempotency key. */
  async function openOrder(way: Way): Promise<{ order: Order; embedUrl: string }> {
    const opened = orders.open(way);
    if (!opened) throw new ShopFull();
    const { session, embed_url } = await oriel.checkoutSessions.create(
      {
        amount: product.amount, // the first shipping option is free
        currency: product.currency,
        ...priceParts(null),
        collect: { promotion_code: true },
        description: product.description,
        allowed_origins: [config.origin],
        return_url: `${config.origin}/orders/${opened.id}`,
        cancel_url: `${config.origin}/${way === "app" ? "app/" : way}`,
        metadata: { order_id: opened.id },
      },
      { idempotencyKey: opened.id },
    );
    return { order: orders.attachSession(opened, session.id), embedUrl: embed_url };
  }

  return app;
}

/** Values that any page may use. */
const shown = { product: product.name, price: formatAmount(product.amount) };

/** The bill as the order page shows it. */
function receiptTexts({ shipping, discount, total }: Bill) {
  return {
    shipping: `${shipping.name} · ${formatAmount(shipping.amount)}`,
    discount: discount ? `${discount.name} · ${formatAmount(-discount.amount)}` : "",
    total: formatAmount(total),
  };
}

class ShopFull extends Error {
  readonly statusCode = 503;
}

function page(reply: FastifyReply, name: PageName, values: Readonly<Record<string, string>>): FastifyReply {
  return reply.header("cache-control", "no-store").type("text/html; charset=utf-8").send(fillPage(name, values));
}

function message(reply: FastifyReply, status: number, title: string, text: string): FastifyReply {
  return page(reply.code(status), "message", { title, text });
}

function readWay(body: unknown): Way | null {
  const way: unknown =
    typeof body === "object" && body !== null && Object.hasOwn(body, "way") ? Reflect.get(body, "way") : null;
  return ways.find((known) => known === way) ?? null;
}

function statusOf(error: unknown): number {
  const status: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "statusCode") : null;
  return typeof status === "number" && status >= 400 && status <= 599 ? status : 500;
}

/**
 * Allows scripts and iframes from one more origin, which is all that the loader and the checkout need. `form-action`
 * covers the 303 redirect to it.
 */
function securityHeaders(checkoutOrigin: string): Record<string, string> {
  return {
    "content-security-policy": [
      "default-src 'self'",
      `script-src 'self' ${checkoutOrigin}`,
      `frame-src ${checkoutOrigin}`,
      "style-src 'self'",
      "img-src 'self' data:",
      `form-action 'self' ${checkoutOrigin}`,
      "base-uri 'none'",
      "object-src 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "referrer-policy": "strict-origin-when-cross-origin",
    "x-content-type-options": "nosniff",
  };
}
