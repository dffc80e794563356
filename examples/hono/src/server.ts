/** Customers pay on Oriel's page: the shop redirects them and needs no JavaScript in the browser. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { html } from "hono/html";
import { createClient } from "@oriel/sdk";
import { webhookHandler } from "@oriel/sdk/hono";
import { applyEvent, createOrder, findOrder } from "./orders.ts";

const oriel = createClient({ apiUrl: required("ORIEL_API_URL"), secretKey: required("ORIEL_SECRET_KEY") });
const shopOrigin = process.env["SHOP_ORIGIN"] ?? "http://localhost:3000";
const port = Number(process.env["PORT"] ?? "3000");
const app = new Hono();

app.post("/webhooks/oriel", webhookHandler({ secret: required("ORIEL_WEBHOOK_SECRET"), onEvent: applyEvent }));

app.get("/", (c) =>
  c.html(
    page(
      html`<h1>The cup</h1>
        <form action="/orders" method="post"><button>Buy for €49.00</button></form>`,
    ),
  ),
);

app.post("/orders", async (c) => {
  const order = createOrder();
  const { session, embed_url } = await oriel.checkoutSessions.create(
    {
      amount: order.amount,
      currency: order.currency,
      return_url: `${shopOrigin}/orders/${order.id}`,
      cancel_url: shopOrigin,
      metadata: { order_id: order.id },
    },
    { idempotencyKey: order.id }, // a repeated request returns the same session
  );
  order.sessionId = session.id;
  return c.redirect(embed_url, 303);
});

app.get("/orders/:id", (c) => {
  const order = findOrder(c.req.param("id"));
  if (!order) return c.notFound();
  c.header("cache-control", "no-store");
  if (order.status === "paid") return c.html(page(html`<h1>Paid</h1>`));
  // The webhook may arrive after the customer, so the page reloads until the order is paid.
  c.header("refresh", "1");
  return c.html(page(html`<h1>Confirming your payment…</h1>`));
});

serve({ fetch: app.fetch, port }, () => console.log(`The shop is open at ${shopOrigin}`));

function page(content: ReturnType<typeof html>) {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>The cup shop</title>
      <main>${content}</main>
    </html>`;
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}. See .env.example.`);
  return value;
}
