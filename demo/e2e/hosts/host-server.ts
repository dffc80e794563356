/**
 * The web server of the tests' merchant. It serves the pages that tests hand it, with the headers they ask for, under
 * every name that leads here; the bundles of hosts/apps; and two routes that a merchant's server has: a session for a
 * page's script, and the redirect.
 *
 * It believes whoever can reach it, and therefore listens on loopback. It never answers with the secret key.
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

/** Far more than a run of the tests puts here. */
const maxPages = 5_000;
const maxBodyBytes = 200_000;

/** @param appsDir where the built bundles are */
export function createHostServer(appsDir: string): Server {
  const pages = new Map<string, Page>();

  return createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://hosts.invalid");
    const origin = `http://${request.headers.host ?? ""}`;
    switch (`${request.method} ${pathname}`) {
      case "GET /healthz":
        return void response.end("ok");
      case "POST /pages":
        return json(response, 201, { path: keep(JSON.parse(await bodyOf(request)) as Page) }); // host-page.ts wrote it
      case "POST /sessions": {
        const fields = JSON.parse((await bodyOf(request)) || "{}") as SessionFields; // the service checks them
        return json(response, 201, await openSession({ allowed_origins: [origin], ...fields }));
      }
      case "POST /pay": {
        // The simplest way in: a form, a session, a 303 to the full page.
        const { embedUrl } = await openSession({ return_url: `${origin}/thanks`, cancel_url: `${origin}/canceled` });
        return void response.writeHead(303, { location: embedUrl }).end();
      }
      case "GET /thanks":
        return html(response, { headers: {}, html: "<!doctype html><title>Thanks</title><h1>Thank you</h1>" });
      default:
        return await answerNamed(request, response, pathname);
    }
  }

  async function answerNamed(request: IncomingMessage, response: ServerResponse, pathname: string): Promise<void> {
    const page = pages.get(pathname);
    if (page && request.method === "GET") return html(response, page);
    const app = /^\/apps\/([a-z-]+\.js)$/i.exec(pathname)?.[1];
    if (!app) return void response.writeHead(404).end("There is no such page."); // Chromium shows nothing of an empty one
    const type = "text/javascript; charset=utf-8";
    // Also for a page in a sandbox, which has no origin.
    response.writeHead(200, { "content-type": type, "cache-control": "no-cache", "access-control-allow-origin": "*" });
    response.end(await readFile(join(appsDir, app)));
  }

  function keep(page: Page): string {
    if (pages.size >= maxPages) throw new Error("Bug: a run of tests makes too many pages");
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
