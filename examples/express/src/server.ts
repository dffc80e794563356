import { join } from "node:path";
import express from "express";
import { createClient } from "@oriel/sdk";
import { webhookHandler } from "@oriel/sdk/express";
import { applyEvent, createOrder, findOrder } from "./orders.js";
import { checkoutPage, frontPage, thanksPage } from "./pages.js";
import { settings } from "./settings.js";

const { apiUrl, checkoutOrigin, secretKey, webhookSecret, shopOrigin, port } = settings;
const oriel = createClient({ apiUrl, secretKey });
const app = express();

// Must come before any body parser, because the signature covers the raw body.
app.post("/webhooks/oriel", webhookHandler({ secret: webhookSecret, onEvent: applyEvent }));

// Only Oriel may add scripts and iframes to these pages.
app.use((_request, response, next) => {
  const policy = `default-src 'self'; script-src 'self' ${checkoutOrigin}; frame-src ${checkoutOrigin}; object-src 'none'`;
  response.set("content-security-policy", policy);
  next();
});
app.use(express.static(join(import.meta.dirname, "../public")));

app.get("/", (_request, response) => {
  response.send(frontPage);
});

app.post("/orders", async (_request, response) => {
  const order = createOrder();
  const { session, embed_url } = await oriel.checkoutSessions.create(
    {
      amount: order.amount,
      currency: order.currency,
      allowed_origins: [shopOrigin],
      return_url: `${shopOrigin}/orders/${order.id}/thanks`,
      metadata: { order_id: order.id },
    },
    { idempotencyKey: order.id }, // a repeated request returns the same session
  );
  order.sessionId = session.id;
  order.embedUrl = embed_url;
  response.redirect(303, `/orders/${order.id}`);
});

app.get("/orders/:id", (request, response) => {
  const order = findOrder(request.params.id);
  if (!order) return void response.sendStatus(404);
  response.set("cache-control", "no-store").send(checkoutPage(order));
});

app.get("/orders/:id/thanks", (request, response) => {
  const order = findOrder(request.params.id);
  if (!order) return void response.sendStatus(404);
  // The webhook may arrive after the customer, so the page reloads until the order is paid.
  if (order.status !== "paid") response.set("refresh", "1");
  response.set("cache-control", "no-store").send(thanksPage(order));
});

app.listen(port, () => console.log(`The shop is open at ${shopOrigin}`));
