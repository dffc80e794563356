/** The snippets name the reader's own addresses, and no secret. */
import { expect, test } from "vitest";
import { pageSnippets, policySnippet, serverSnippets, webhookSnippet } from "./snippets.ts";

const addresses = {
  checkoutOrigin: "https://pay.merchant.example",
  apiUrl: "https://api.merchant.example",
  shopOrigin: "https://shop.merchant.example",
};
const all = [...serverSnippets(addresses), ...pageSnippets(addresses)];

test("every way to call the API asks the reader's own API, with the key from the environment", () => {
  const snippets = serverSnippets(addresses);
  expect(snippets.map(({ name }) => name)).toEqual(["Node", "curl"]);
  for (const { code } of snippets) {
    expect(code).toContain("https://api.merchant.example");
    expect(code).toContain("ORIEL_SECRET_KEY");
    expect(code).toContain('"https://shop.merchant.example"');
  }
});

test("what the page loads comes from the reader's own checkout origin", () => {
  const loaded = all.flatMap(({ code }) => [...code.matchAll(/<script src="([^"]*)"/g)].map(([, src]) => src));
  expect(loaded).toEqual([
    "https://pay.merchant.example/embed/v1/oriel.js",
    "https://pay.merchant.example/embed/v1/oriel.js",
  ]);
  expect(policySnippet(addresses)).toContain("frame-src https://pay.merchant.example");
});

test.each([
  ["React", 'import { Checkout } from "@oriel/embed/react";', "<Checkout"],
  ["Vue", 'import { OrielCheckout } from "@oriel/embed/vue";', '<OrielCheckout :embed-url="embedUrl" @complete='],
  [
    "Svelte",
    'import { attachCheckout } from "@oriel/embed/svelte";',
    "{@attach attachCheckout({ embedUrl, onComplete })}",
  ],
])("%s has a snippet of its own, which shows the form and hears of the payment", (name, imported, shown) => {
  const codes = pageSnippets(addresses).flatMap((snippet) => (snippet.name === name ? [snippet.code] : []));
  expect(codes).toEqual([expect.stringContaining(imported)]);
  expect(codes).toEqual([expect.stringContaining(shown)]);
  expect(codes).toEqual([expect.stringContaining('"/thanks?session_id=" + sessionId')]);
});

test("no snippet holds a key, a signing secret or somebody else's address", () => {
  const codes = [...all.map((snippet) => snippet.code), webhookSnippet];
  const named = codes.flatMap((code) => [...code.matchAll(/https?:\/\/[^/"\s]+/g)].map(([address]) => address));
  expect(codes.filter((code) => /oriel_sk_|whsec_/.test(code))).toEqual([]);
  expect([...new Set(named)].sort()).toEqual(Object.values(addresses).sort());
});
