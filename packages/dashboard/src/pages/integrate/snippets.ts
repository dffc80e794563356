/**
 * The integration code, with the account's own URLs. It contains no secrets: a secret key is shown once, when it's
 * created, and belongs in an environment variable of the server.
 */

export interface Addresses {
  /** The origin of the checkout and its script. */
  checkoutOrigin: string;
  apiUrl: string;
  /** The origin of the page that embeds the checkout. */
  shopOrigin: string;
}

export interface Snippet {
  name: string;
  /** Shown above the code. */
  about: string;
  code: string;
}

/** Code for the merchant's server that creates a session. */
export function serverSnippets({ apiUrl, shopOrigin }: Addresses): Snippet[] {
  return [
    {
      name: "Node",
      about: "With the @oriel/sdk package, which retries failed requests and never creates anything twice.",
      code: `import { createClient } from "@oriel/sdk";
import express from "express";

const oriel = createClient({
  apiUrl: "${apiUrl}",
  secretKey: process.env.ORIEL_SECRET_KEY,
});
const app = express();

app.post("/checkout-session", async (_request, response) => {
  const { embed_url } = await oriel.checkoutSessions.create({
    amount: 4900, // in cents. Take it from your own prices, never from the page
    currency: "eur",
    allowed_origins: ["${shopOrigin}"], // the page that shows the checkout
    return_url: "${shopOrigin}/thanks",
    metadata: { order_id: "1234" }, // included in the webhook
  });
  response.json({ embed_url });
});`,
    },
    {
      name: "curl",
      about: "The same request from any language. Send the same Idempotency-Key when you retry for an order.",
      code: `curl ${apiUrl}/api/v1/checkout_sessions \\
  -H "Authorization: Bearer $ORIEL_SECRET_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-1234" \\
  -d '{
    "amount": 4900,
    "currency": "eur",
    "allowed_origins": ["${shopOrigin}"],
    "return_url": "${shopOrigin}/thanks",
    "metadata": { "order_id": "1234" }
  }'`,
    },
  ];
}

/** Ways to show the checkout. `EMBED_URL` and `embedUrl` stand for the `embed_url` in the response. */
export function pageSnippets({ checkoutOrigin, shopOrigin }: Addresses): Snippet[] {
  return [
    {
      name: "Script tag",
      about: "For server-rendered pages. Replace EMBED_URL with the session's embed_url.",
      code: `<script src="${checkoutOrigin}/embed/v1/oriel.js" async></script>

<div data-oriel-checkout data-oriel-embed-url="EMBED_URL" data-oriel-on-complete="onPaid"></div>

<script>
  function onPaid({ sessionId }) {
    location.assign("/thanks?session_id=" + sessionId);
  }
</script>`,
    },
    {
      name: "ES module",
      about: "For bundled apps. The loader is part of your bundle, so the page loads no script from another origin.",
      code: `import { mountCheckout } from "@oriel/embed";

const response = await fetch("/checkout-session", { method: "POST" });
const { embed_url: embedUrl } = await response.json();

mountCheckout("#checkout", {
  embedUrl,
  onComplete: ({ sessionId }) => location.assign("/thanks?session_id=" + sessionId),
  onError: (error) => console.error(error.code, error.docUrl),
});`,
    },
    {
      name: "Custom element",
      about: "For any template language, also inside a form. Without JavaScript, customers see the link.",
      code: `<script src="${checkoutOrigin}/embed/v1/oriel.js" async></script>

<form action="/order" method="post">
  <oriel-checkout name="session" required embed-url="EMBED_URL">
    <a href="EMBED_URL">Pay on our secure page</a>
  </oriel-checkout>
  <button>Place the order</button>
</form>`,
    },
    {
      name: "React",
      about: "A component for React 18 and 19.",
      code: `import { Checkout } from "@oriel/embed/react";

export function Payment({ embedUrl }) {
  return (
    <Checkout
      embedUrl={embedUrl}
      onComplete={({ sessionId }) => location.assign("/thanks?session_id=" + sessionId)}
    />
  );
}`,
    },
    {
      name: "Vue",
      about: "A component for Vue 3.3 and later.",
      code: `<script setup>
import { OrielCheckout } from "@oriel/embed/vue";

defineProps(["embedUrl"]);

function onComplete({ sessionId }) {
  location.assign("/thanks?session_id=" + sessionId);
}
</script>

<template>
  <OrielCheckout :embed-url="embedUrl" @complete="onComplete" />
</template>`,
    },
    {
      name: "Svelte",
      about:
        "An attachment for Svelte 5.29 and later. For earlier versions, use the checkout action with the same options.",
      code: `<script>
  import { attachCheckout } from "@oriel/embed/svelte";

  let { embedUrl } = $props();

  function onComplete({ sessionId }) {
    location.assign("/thanks?session_id=" + sessionId);
  }
</script>

<div {@attach attachCheckout({ embedUrl, onComplete })}></div>`,
    },
    {
      name: "Redirect",
      about: "No code in your page. Customers pay on a hosted page and return to return_url with the session ID.",
      code: `app.post("/pay", async (_request, response) => {
  const { embed_url } = await oriel.checkoutSessions.create({
    amount: 4900,
    currency: "eur",
    return_url: "${shopOrigin}/thanks",
    metadata: { order_id: "1234" },
  });
  response.redirect(303, embed_url);
});`,
    },
  ];
}

/** The webhook handler, which marks orders as paid. */
export const webhookSnippet = `import { webhookHandler } from "@oriel/sdk/express";

app.post(
  "/webhooks/oriel",
  webhookHandler({
    secret: process.env.ORIEL_WEBHOOK_SECRET,
    onEvent: async (event) => {
      if (event.type === "payment.succeeded")
        await markPaid(event.data.object.session?.metadata.order_id);
    },
  }),
);
app.use(express.json()); // must come after the handler, which verifies the raw body`;

/** The directives that the page's Content-Security-Policy needs. */
export function policySnippet({ checkoutOrigin }: Addresses): string {
  return `script-src 'self' ${checkoutOrigin}; frame-src ${checkoutOrigin}`;
}
