/**
 * Fetches a page's files as a browser does, so that whoever serves something else to browsers serves it to us as well.
 *
 * By `node:http` and not by `fetch`, which writes headers of its own that no browser sends with a page. Follows no
 * redirect. Bounds: ten seconds for the whole answer, a megabyte of it as sent and two once unpacked. Addresses under
 * `.localhost` are this machine, as browsers see it.
 */
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { OperatorError } from "../../platform/operator-error.ts";

export interface Received {
  status: number;
  /** By lower-case name; what came several times is joined by commas. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

const patienceMs = 10_000;
const mostSent = 1024 * 1024;
const mostUnpacked = 2 * mostSent;

/** As the frame's document, or as a script or a file of words that it asks for. */
export type Destination = "iframe" | "script" | "empty";

/** @throws OperatorError where nothing, or too much, came back in time */
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
    throw new OperatorError(`${url.origin}${url.pathname} could not be fetched: ${reason}.`);
  }
}

function send(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isHere = url.hostname === "localhost" || url.hostname.endsWith(".localhost");
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      ...(isHere ? { hostname: "127.0.0.1", servername: url.hostname } : {}),
      headers: { host: url.host, ...headers },
      signal: AbortSignal.timeout(patienceMs),
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
    // no encoding is set, so the parts are buffers
    bytes += part.length;
    if (bytes > mostSent) {
      response.destroy();
      throw new Error("the answer is larger than a megabyte");
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function unpack(body: Buffer, encoding: string | undefined): Buffer {
  const bound = { maxOutputLength: mostUnpacked };
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
      throw new Error(`it is packed as ${encoding}, which was not asked for`);
  }
}
