/**
 * Fetches a page's files as a browser does, so that an attacker who targets browsers serves us the same content.
 *
 * Uses `node:http`, because `fetch` adds headers that browsers don't send with a page. Doesn't follow redirects.
 * Limits: ten seconds for the complete response, 1 MB compressed and 2 MB decompressed. As in browsers, hosts under
 * `.localhost` resolve to this machine.
 */
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { OperatorError } from "@oriel/commands/operator-error";

export interface Received {
  status: number;
  /** By lowercase name. Repeated headers are joined by commas. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

const timeoutMs = 10_000;
const maxSentBytes = 1024 * 1024;
const maxUnpackedBytes = 2 * maxSentBytes;

/** The iframe's document, a script, or a data file fetched by a script. */
export type Destination = "iframe" | "script" | "empty";

/** @throws OperatorError if the request fails, times out or exceeds a limit */
export async function fetchAsBrowser(url: URL, destination: Destination, language = "en"): Promise<Received> {
  try {
    const response = await send(url, headersOf(destination, language));
    const headers = Object.fromEntries(
      Object.entries(response.headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")]),
    );
    const body = unpack(await read(response), headers["content-encoding"]);
    return { status: response.statusCode ?? 0, headers, body };
  } catch (error) {
    const reason =
      error instanceof AggregateError
        ? error.errors.map(String).join("; ")
        : error instanceof Error
          ? error.message
          : "";
    throw new OperatorError(`${url.origin}${url.pathname} couldn't be fetched: ${reason}.`);
  }
}

function send(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isHere = url.hostname === "localhost" || url.hostname.endsWith(".localhost");
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      ...(isHere ? { hostname: "127.0.0.1", servername: url.hostname } : {}),
      headers: { host: url.host, ...headers },
      signal: AbortSignal.timeout(timeoutMs),
      agent: false,
    });
    request.on("response", resolve).on("error", reject).end();
  });
}

function headersOf(destination: Destination, language: string): Record<string, string> {
  const isPage = destination === "iframe";
  return {
    "user-agent":
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36",
    accept: isPage ? "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8" : "*/*",
    "accept-encoding": "gzip, deflate, br",
    "accept-language": `${language},en;q=0.5`,
    "sec-fetch-dest": destination,
    "sec-fetch-mode": isPage ? "navigate" : "cors",
    "sec-fetch-site": isPage ? "cross-site" : "same-origin",
    ...(isPage ? { "upgrade-insecure-requests": "1" } : {}),
  };
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    // No encoding is set, so each chunk is a Buffer.
    bytes += part.length;
    if (bytes > maxSentBytes) {
      response.destroy();
      throw new Error("the response is larger than 1 MB");
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function unpack(body: Buffer, encoding: string | undefined): Buffer {
  const bound = { maxOutputLength: maxUnpackedBytes };
  switch (encoding) {
    case undefined:
    case "identity":
      return body;
    case "br":
      return brotliDecompressSync(body, bound);
    case "gzip":
      return gunzipSync(body, bound);
    case "deflate":
      return inflateSync(body, bound);
    default:
      throw new Error(`the response has an unsupported encoding, ${encoding}`);
  }
}
