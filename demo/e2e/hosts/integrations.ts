/** Every way to integrate the checkout, each on a page with nothing else. */
import { appPage, attribute, type HostPage, markup, scriptTag } from "./host-page.ts";

export const ways = {
  "the script tag": (embedUrl) => ({ head: scriptTag, body: markup(embedUrl) }),
  "the element": (embedUrl) => ({
    head: scriptTag,
    body: `<oriel-checkout embed-url="${attribute(embedUrl)}"><a href="${attribute(embedUrl)}">Pay elsewhere</a></oriel-checkout>`,
  }),
  "the bundled element": (embedUrl) => appPage("element", { embedUrl }),
  "the ES module": (embedUrl) => appPage("esm", { embedUrl }),
  "React in StrictMode": (embedUrl) => appPage("react", { embedUrl }),
  Vue: (embedUrl) => appPage("vue", { embedUrl }),
  "Vue with keep-alive": (embedUrl) => appPage("vue", { embedUrl, keepAlive: true }),
  "Svelte's action": (embedUrl) => appPage("svelte", { embedUrl }),
  "Svelte's attachment": (embedUrl) => appPage("svelte", { embedUrl, attached: true }),
} satisfies Record<string, (embedUrl: string) => HostPage>;
