/**
 * Serves the pages for the comparison: the shop's pages on one site, and the bare form with its loader on another. As
 * with Oriel, responses are compressed, the form is requested at each visit, and the loader is cached.
 */
import { createServer } from "node:http";
import { brotliCompressSync } from "node:zlib";
import { listenLocally } from "../../scripts/test/listen-locally.ts";
import { bareForm, bareLoader, shopPage } from "./bare-form.ts";

export interface Sites {
  shopOrigin: string;
  bareOrigin: string;
  /** Adds a page to the shop's site, see {@link shopPage}. @returns its URL */
  serveShop(loaderUrl: string, mount: string, connectTo: string | null): string;
  /** Adds a script to the shop's site. @returns its URL */
  serveScript(code: string): string;
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
  const { port } = await listenLocally(server);
  const shopOrigin = `http://merchant.localhost:${port}`;
  files.set("/form", { headers: html, text: bareForm(shopOrigin, "atOnce") });
  files.set("/form-with-session", { headers: html, text: bareForm(shopOrigin, "withSession") });
  files.set("/session", { headers: json, text: session });
  files.set("/bare.js", { headers: script, text: bareLoader });
  const serve = (headers: Record<string, string>, text: string) => {
    const path = `/shop/${files.size}`;
    files.set(path, { headers, text });
    return `${shopOrigin}${path}`;
  };
  return {
    shopOrigin,
    bareOrigin: `http://bare.localhost:${port}`,
    serveShop: (loaderUrl, mount, connectTo) => serve(html, shopPage(loaderUrl, mount, connectTo)),
    serveScript: (code) => serve(script, code),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
