/**
 * Serves the pages for the comparison: the shop's pages on one site, and the bare form with its loader on another. As
 * with Oriel, responses are compressed, the form is requested at each visit, and the loader is cached.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { brotliCompressSync } from "node:zlib";
import { bareForm, bareLoader, shopPage } from "./bare-form.ts";

export interface Sites {
  shopOrigin: string;
  bareOrigin: string;
  /** Adds a page to the shop's site. @returns its URL */
  serveShop(loaderUrl: string, mount: string): string;
  close(): void;
}

/** About as large as ours. */
const session = JSON.stringify({ amount: 4900, currency: "eur", token: "t".repeat(600) });
const json = { "content-type": "application/json", "cache-control": "no-store" };
const html = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
const script = { "content-type": "text/javascript; charset=utf-8", "cache-control": "public, max-age=300" };

export async function serveSites(): Promise<Sites> {
  const files = new Map<string, { headers: Record<string, string>; text: string }>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { ...file.headers, "content-encoding": "br" }).end(brotliCompressSync(file.text));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Bug: no port");
  const { port } = address;
  const shopOrigin = `http://merchant.localhost:${port}`;
  files.set("/form", { headers: html, text: bareForm(shopOrigin, "atOnce") });
  files.set("/form-with-session", { headers: html, text: bareForm(shopOrigin, "withSession") });
  files.set("/session", { headers: json, text: session });
  files.set("/bare.js", { headers: script, text: bareLoader });
  return {
    shopOrigin,
    bareOrigin: `http://bare.localhost:${port}`,
    serveShop(loaderUrl, mount) {
      const path = `/shop/${files.size}`;
      files.set(path, { headers: html, text: shopPage(loaderUrl, mount) });
      return `${shopOrigin}${path}`;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
