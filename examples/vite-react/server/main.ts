/** The shop's server: creates orders, receives webhooks and serves the page that Vite has built. */
import { join } from "node:path";
import express from "express";
import { createClient } from "@oriel/sdk";
import { webhookHandler } from "@oriel/sdk/express";
import { applyEvent, createOrder, findOrder } from "./orders.ts";

const oriel = createClient({ apiUrl: required("ORIEL_API_URL"), secretKey: required("ORIEL_SECRET_KEY") });
const checkoutOrigin = required("ORIEL_CHECKOUT_ORIGIN");
const shopOrigin = process.env["SHOP_ORIGIN"] ?? "http://localhost:3000";
const port = Number(process.env["PORT"] ?? "3000");
const app = express();

// Must come before any body parser, because the signature covers the raw body.
app.post("/webhooks/oriel", webhookHandler({ secret: required("ORIEL_WEBHOOK_SECRET"), onEvent: applyEvent }));

app.post("/api/orders", async (_request, response) => {
  const order = createOrder();
  const { session, embed_url } = await oriel.checkoutSessions.create(
    {
      amount: order.amount,
      currency: order.currency,
      allowed_origins: [shopOrigin], // where the page that shows the form is
      return_url: shopOrigin,
      metadata: { order_id: order.id },
    },
    { idempotencyKey: order.id }, // a repeated request returns the same session
  );
  order.sessionId = session.id;
  response.set("cache-control", "no-store").json({ id: order.id, embedUrl: embed_url });
});

app.get("/api/orders/:id", (request, response) => {
  const order = findOrder(request.params.id);
  if (!order) return void response.sendStatus(404);
  response.set("cache-control", "no-store").json({ status: order.status });
});

// Only Oriel may add an iframe to the page. Its loader is part of the bundle.
app.use((_request, response, next) => {
  response.set("content-security-policy", `default-src 'self'; frame-src ${checkoutOrigin}; object-src 'none'`);
  next();
});
app.use(express.static(join(import.meta.dirname, "../dist")));

app.listen(port, () => console.log(`The shop is open at ${shopOrigin}`));

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}. See .env.example.`);
  return value;
}
