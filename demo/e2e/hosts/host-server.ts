/**
 * The web server of the tests' merchant. Under every name that resolves to it, it serves the pages that tests add, with
 * their headers, and the bundles of hosts/apps. It also has two routes of a merchant's server: one creates a session
 * for a page's script, and one redirects.
 *
 * It trusts every client, so it listens on loopback only. It never sends the secret key.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { openSession, type SessionFields } from "./sessions.ts";

interface Page {
  headers: Record<string, string>;
  html: string;
}

/** Far more than a test run needs. */
const maxPages = 5_000;
const maxBodyBytes = 200_000;

/** @param appsDir - Folder of the built bundles. */
export function createHostServer(appsDir: string): Server {
  const pages = new Map<string, Page>();

  return createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://hosts.invalid");
    const origin = `http://${request.headers.host ?? ""}`;
    switch (`${request.method} ${pathname}`) {
      case "GET /healthz":
        return void response.end("ok");
      case "POST /pages":
        // host-page.ts wrote this file.
        return json(response, 201, { path: add(JSON.parse(await bodyOf(request)) as Page) });
      case "POST /sessions": {
        const fields = JSON.parse((await bodyOf(request)) || "{}") as SessionFields; // the service validates it
        return json(response, 201, await openSession({ allowed_origins: [origin], ...fields }));
      }
      case "POST /pay": {
        // The simplest integration: a form, a session, and a 303 to the full page.
        const { embedUrl } = await openSession({ return_url: `${origin}/thanks`, cancel_url: `${origin}/canceled` });
        return void response.writeHead(303, { location: embedUrl }).end();
      }
      case "GET /thanks":
        return html(response, { headers: {}, html: "<!doctype html><title>Thanks</title><h1>Thank you</h1>" });
      default:
        return await sendFile(request, response, pathname);
    }
  }

  async function sendFile(request: IncomingMessage, response: ServerResponse, pathname: string): Promise<void> {
    const page = pages.get(pathname);
    if (page && request.method === "GET") return html(response, page);
    const app = /^\/apps\/([a-z-]+\.js)$/i.exec(pathname)?.[1];
    // Chromium shows nothing for an empty response.
    if (!app) return void response.writeHead(404).end("There is no such page.");
    const type = "text/javascript; charset=utf-8";
    // Any origin, because a sandboxed page has none.
    response.writeHead(200, { "content-type": type, "cache-control": "no-cache", "access-control-allow-origin": "*" });
    response.end(await readFile(join(appsDir, app)));
  }

  function add(page: Page): string {
    if (pages.size >= maxPages) throw new Error("Bug: the tests made too many pages");
    const path = `/pages/${randomUUID()}`;
    pages.set(path, page);
    return path;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    const bytesOfPart = part as Buffer; // no encoding was set
    bytes += bytesOfPart.byteLength;
    if (bytes > maxBodyBytes) throw new Error("The body is too large.");
    parts.push(bytesOfPart);
  }
  return Buffer.concat(parts).toString("utf8");
}

function html(response: ServerResponse, page: Page): void {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache", ...page.headers });
  response.end(page.html);
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
