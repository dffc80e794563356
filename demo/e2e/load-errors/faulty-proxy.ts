/**
 * A reverse proxy in front of the service, with its own origin, that interferes: it can add `X-Frame-Options` like a
 * proxy, hang like a load balancer, or serve an old release. To the browser it's a real checkout origin, so the results
 * don't depend on the test tool.
 *
 * It sends requests to the service with the service's host name, and supports only the requests of the checkout page
 * and the loader.
 */
import { createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { addresses, ports } from "../urls.ts";

export interface Tampering {
  /** Headers to set on the response. Null removes one. */
  headers?: (path: string, headers: Record<string, string>) => Record<string, string | null>;
  /** Rewrites the text of a response to the browser. */
  text?: (path: string, text: string) => string;
  /** Called for each request. Returns true to leave it without a response. */
  hangs?: (path: string) => boolean;
}

export interface FaultyProxy {
  origin: string;
  /** Converts an embed_url of the service to this origin. */
  embedUrl(embedUrl: string): string;
  /** Requested paths without their query, oldest first. */
  requested: string[];
  close(): Promise<void>;
}

export async function faultyProxy({
  headers = () => ({}),
  text = (_, whole) => whole,
  hangs = () => false,
}: Tampering): Promise<FaultyProxy> {
  const requested: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? "/").replace(/\?.*/, "");
    requested.push(path);
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
    const upstreamRequest = send(options, (upstream) => {
      const parts: Buffer[] = [];
      upstream.on("data", (part: Buffer) => parts.push(part));
      upstream.on("end", () => {
        const body = text(path, Buffer.concat(parts).toString("utf8"));
        const plain = Object.fromEntries(
          Object.entries(upstream.headers).map(([name, value]) => [name, String(value)]),
        );
        const changed = { ...plain, ...headers(path, plain), "content-length": String(Buffer.byteLength(body)) };
        const remaining = Object.entries(changed).filter((entry): entry is [string, string] => entry[1] !== null);
        outgoing.writeHead(
          upstream.statusCode ?? 502,
          Object.fromEntries(remaining.filter(([name]) => name !== "transfer-encoding")),
        );
        outgoing.end(body);
      });
    });
    upstreamRequest.on("error", () => outgoing.destroy());
    upstreamRequest.setTimeout(20_000, () => upstreamRequest.destroy());
    incoming.pipe(upstreamRequest);
  }

  const { port, close } = await listenLocally(server);
  const origin = `http://faulty.localhost:${port}`;
  return {
    origin,
    requested,
    embedUrl: (embedUrl) => embedUrl.replace(addresses.checkout, origin),
    close,
  };
}
