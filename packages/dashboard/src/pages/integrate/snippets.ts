/**
 * The code that puts us in, with the reader's own addresses. No secret stands in it: a secret key is shown once, where
 * it is made, and lives in an environment variable of the server.
 */

export interface Addresses {
  /** Where the checkout and the script are. */
  checkoutOrigin: string;
  apiUrl: string;
  /** Of the page that holds the frame. */
  shopOrigin: string;
}

export interface Snippet {
  name: string;
  /** A sentence above the code. */
  about: string;
  code: string;
}

/** The call that creates a session, from the merchant's server. */
export function serverSnippets({ apiUrl, shopOrigin }: Addresses): Snippet[] {
  return [
    {
      name: "Node",
      about:
        "With the package @oriel/sdk, which repeats what failed on the way and never asks twice for the same thing.",
      code: `import { createClient } from "@oriel/sdk";
import express from "express";

const oriel = createClient({
  apiUrl: "${apiUrl}",
  secretKey: process.env.ORIEL_SECRET_KEY,
});
const app = express();

app.post("/checkout-session", async (_request, response) => {
  const { embed_url } = await oriel.checkoutSessions.create({
    amount: 4900, // in cents, from your own prices: never from the page
    currency: "eur",
    allowed_origins: ["${shopOrigin}"], // the page that shows the form
    return_url: "${shopOrigin}/thanks",
    metadata: { order_id: "1234" }, // comes back in the webhook
  });
  response.json({ embed_url });
});`,
    },
    {
      name: "curl",
      about: "The same from any language. Send one Idempotency-Key for all tries of one order.",
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

/** The ways to show the form. `EMBED_URL` and `embedUrl` are the `embed_url` that the server was answered. */
export function pageSnippets({ checkoutOrigin, shopOrigin }: Addresses): Snippet[] {
  return [
    {
      name: "Script tag",
      about: "For pages that your server renders: it writes the session's embed_url in the place of EMBED_URL.",
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
      about: "For whatever is bundled. The bundle holds the loader, so the page loads no script of another origin.",
      code: `import { mountCheckout } from "@oriel/embed";

const answer = await fetch("/checkout-session", { method: "POST" });
const { embed_url: embedUrl } = await answer.json();

mountCheckout("#checkout", {
  embedUrl,
  onComplete: ({ sessionId }) => location.assign("/thanks?session_id=" + sessionId),
  onError: (error) => console.error(error.code, error.docUrl),
});`,
    },
    {
      name: "Element",
      about: "For any template language, inside a form too. The link is there without JavaScript.",
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
      about: "A component, for React 18 and 19.",
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
      about: "A component, for Vue 3.3 and newer.",
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
        "An attachment, for Svelte 5.29 and newer. For older ones there is an action, checkout, with the same options.",
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
      about:
        "No code in the page: the customer pays on a page of ours and comes back to return_url with the session's id.",
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

/** An order is paid when this has heard so. */
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
app.use(express.json()); // after it: a parsed body cannot be verified`;

/** All that a Content-Security-Policy of the page must allow. */
export function policySnippet({ checkoutOrigin }: Addresses): string {
  return `script-src 'self' ${checkoutOrigin}; frame-src ${checkoutOrigin}`;
}
