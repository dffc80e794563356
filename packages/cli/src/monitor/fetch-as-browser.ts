/**
 * Fetches a page's files with a browser's headers, so that code injected for browsers is probably sent to us too. A
 * server that wants to can still recognize this command, for example by the order of its headers or by its TLS.
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
  /** Null if it exceeds a limit. */
  body: Buffer | null;
}

const timeoutMs = 10_000;
const maxSentBytes = 1024 * 1024;
const maxUnpackedBytes = 2 * maxSentBytes;

/** The iframe's document, a script, or a data file fetched by a script. */
export type Destination = "iframe" | "script" | "empty";

/** There was no complete response, or it can't be read. */
export class NoResponse extends OperatorError {}

/** @throws NoResponse */
export async function fetchAsBrowser(url: URL, destination: Destination, language = "en"): Promise<Received> {
  try {
    const response = await send(url, headersOf(destination, language));
    const headers = Object.fromEntries(
      Object.entries(response.headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")]),
    );
    const sent = await read(response);
    const body = sent === null ? null : unpack(sent, headers["content-encoding"]);
    return { status: response.statusCode ?? 0, headers, body };
  } catch (error) {
    const reason =
      error instanceof AggregateError
        ? error.errors.map(String).join("; ")
        : error instanceof Error
          ? error.message
          : "";
    throw new NoResponse(`${url.origin}${url.pathname} couldn't be fetched: ${reason}.`);
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

/** As Chrome 150 on Windows. */
function headersOf(destination: Destination, language: string): Record<string, string> {
  const isPage = destination === "iframe";
  return {
    "sec-ch-ua": '"Chromium";v="150", "Google Chrome";v="150", "Not.A/Brand";v="99"',
    "sec-ch-ua-mobile": "?0",
    "sec-ch-ua-platform": '"Windows"',
    "user-agent":
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36",
    accept: isPage
      ? "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"
      : "*/*",
    "accept-encoding": "gzip, deflate, br", // the oldest supported Node can't decompress zstd
    "accept-language": language === "en" ? "en-US,en;q=0.9" : `${language},en;q=0.9`,
    "sec-fetch-dest": destination,
    "sec-fetch-mode": isPage ? "navigate" : "cors",
    "sec-fetch-site": isPage ? "cross-site" : "same-origin",
    ...(isPage ? { "upgrade-insecure-requests": "1" } : {}),
  };
}

/** Returns null if the response is larger than the limit. */
async function read(response: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    // No encoding is set, so each chunk is a Buffer.
    bytes += part.length;
    if (bytes > maxSentBytes) {
      response.destroy();
      return null;
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Returns null if the result is larger than the limit. */
function unpack(body: Buffer, encoding = "identity"): Buffer | null {
  const decompress = decompressors.get(encoding);
  if (decompress === undefined) throw new Error(`the response has an unsupported encoding, ${encoding}`);
  try {
    return decompress(body, { maxOutputLength: maxUnpackedBytes });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") return null;
    throw error;
  }
}

const decompressors = new Map<string, (body: Buffer, limit: { maxOutputLength: number }) => Buffer>([
  ["identity", (body) => body],
  ["br", brotliDecompressSync],
  ["gzip", gunzipSync],
  ["deflate", inflateSync],
]);
