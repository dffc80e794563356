/**
 * A reverse proxy in front of the service, on an origin of its own, that spoils what passes: as a proxy does that adds
 * `X-Frame-Options`, a balancer that hangs, an old release that is still served. To the browser it is a checkout origin
 * like any other, so what it does is seen for real and not made up by the test tool.
 *
 * The service is asked under its own host's name. Only what the checkout page and the loader ask for was thought of.
 */
import { createServer, type IncomingMessage, request as ask, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { addresses, ports } from "../addresses.ts";

export interface Spoiling {
  /** Headers to set on the answer; null takes one away. */
  headers?: (path: string, headers: Record<string, string>) => Record<string, string | null>;
  /** Rewrites a text on its way to the browser. */
  text?: (path: string, text: string) => string;
  /** Whether a request is never answered. Asked again for each. */
  hangs?: (path: string) => boolean;
}

export interface SpoiledService {
  origin: string;
  /** An embed_url of the service as one of this origin. */
  embedUrl(embedUrl: string): string;
  /** Paths that were asked for, oldest first, without their query. */
  asked: string[];
  close(): Promise<void>;
}

export async function spoiledService({
  headers = () => ({}),
  text = (_, whole) => whole,
  hangs = () => false,
}: Spoiling): Promise<SpoiledService> {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? "/").replace(/\?.*/, "");
    asked.push(path);
    if (!hangs(path)) forward(incoming, outgoing, path);
  });

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, path: string): void {
    const host = new URL(addresses.checkout).host;
    const onward = { ...incoming.headers, host, "accept-encoding": "identity" };
    const options = {
      host: "127.0.0.1",
      port: ports.service,
      method: incoming.method,
      path: incoming.url,
      headers: onward,
    };
    const question = ask(options, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const body = text(path, Buffer.concat(parts).toString("utf8"));
        const plain = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
        const spoiled = { ...plain, ...headers(path, plain), "content-length": String(Buffer.byteLength(body)) };
        const kept = Object.entries(spoiled).filter((entry): entry is [string, string] => entry[1] !== null);
        outgoing.writeHead(
          answer.statusCode ?? 502,
          Object.fromEntries(kept.filter(([name]) => name !== "transfer-encoding")),
        );
        outgoing.end(body);
      });
    });
    question.on("error", () => outgoing.destroy());
    question.setTimeout(20_000, () => question.destroy());
    incoming.pipe(question);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const origin = `http://spoiled.localhost:${port}`;
  return {
    origin,
    asked,
    embedUrl: (embedUrl) => embedUrl.replace(addresses.checkout, origin),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
