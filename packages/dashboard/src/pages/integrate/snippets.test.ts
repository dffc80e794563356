import { describe, expect, it } from "vitest";
import { pageSnippets, policySnippet, serverSnippets, webhookSnippet } from "./snippets.ts";

const addresses = {
  checkoutOrigin: "https://pay.merchant.example",
  apiUrl: "https://api.merchant.example",
  shopOrigin: "https://shop.merchant.example",
};
const all = [...serverSnippets(addresses), ...pageSnippets(addresses)];

describe("the code snippets", () => {
  it("call the account's own API, with the key from the environment", () => {
    const snippets = serverSnippets(addresses);
    expect(snippets.map(({ name }) => name)).toEqual(["Node", "curl"]);
    for (const { code } of snippets) {
      expect(code).toContain("https://api.merchant.example");
      expect(code).toContain("ORIEL_SECRET_KEY");
      expect(code).toContain('"https://shop.merchant.example"');
    }
  });

  it("load scripts from the account's own checkout origin", () => {
    const loaded = all.flatMap(({ code }) => [...code.matchAll(/<script src="([^"]*)"/g)].map(([, src]) => src));
    expect(loaded).toEqual([
      "https://pay.merchant.example/embed/v1/oriel.js",
      "https://pay.merchant.example/embed/v1/oriel.js",
    ]);
    expect(policySnippet(addresses)).toContain("frame-src https://pay.merchant.example");
  });

  it.each([
    ["React", 'import { Checkout } from "@oriel/embed/react";', "<Checkout"],
    ["Vue", 'import { OrielCheckout } from "@oriel/embed/vue";', '<OrielCheckout :embed-url="embedUrl" @complete='],
    [
      "Svelte",
      'import { attachCheckout } from "@oriel/embed/svelte";',
      "{@attach attachCheckout({ embedUrl, onComplete })}",
    ],
  ])("show the form and handle its completion in %s", (name, imported, shown) => {
    const codes = pageSnippets(addresses).flatMap((snippet) => (snippet.name === name ? [snippet.code] : []));
    expect(codes).toEqual([expect.stringContaining(imported)]);
    expect(codes).toEqual([expect.stringContaining(shown)]);
    expect(codes).toEqual([expect.stringContaining('"/thanks?session_id=" + sessionId')]);
  });

  it("contain no key, no signing secret and no unrelated URL", () => {
    const codes = [...all.map((snippet) => snippet.code), webhookSnippet];
    const origins = codes.flatMap((code) => [...code.matchAll(/https?:\/\/[^/"\s]+/g)].map(([origin]) => origin));
    expect(codes.filter((code) => /oriel_sk_|whsec_/.test(code))).toEqual([]);
    expect([...new Set(origins)].sort()).toEqual(Object.values(addresses).sort());
  });
});
