/**
 * HTTP requests to a vendor, over connections that are kept open. Redirects aren't followed, and time and size are
 * limited.
 *
 * The vendor counts as silent if it can't be reached, doesn't respond in time, or a proxy returns 502, 503 or 504. Any
 * other failure is an invalid reply instead, because what we sent may have caused it, and parts of that came from the
 * customer.
 */
import { Agent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { InvalidReplyError, NoReplyError } from "./errors.ts";

export interface CallOptions {
  /** The URL of the vendor's API, without a trailing slash. */
  url: string;
  /** Sent with each request, such as the API key. */
  headers: Record<string, string>;
}

export interface Call {
  /** Names the request in errors: "an authorization request". */
  what: string;
  path: string;
  timeoutMs: number;
  /** Sent as JSON with POST. Without a body, the request is a GET. */
  body?: unknown;
  headers?: Record<string, string>;
}

/**
 * A response with a status from 200 to 299 or 400 to 499.
 *
 * @property body - The parsed JSON, or undefined if it isn't JSON.
 */
export interface Reply {
  status: number;
  body: unknown;
}

/**
 * Sends a request.
 *
 * @throws NoReplyError for silence, and InvalidReplyError for a response that isn't HTTP, is too large, redirects or is
 *   another 5xx
 */
export type SendCall = (call: Call) => Promise<Reply>;

/** Opens a connection to a vendor. */
export type OpenCall = (options: CallOptions) => SendCall;

export const createCall: OpenCall = ({ url, headers }) => {
  const isTls = url.startsWith("https:");
  const agent = new (isTls ? HttpsAgent : Agent)({ keepAlive: true, timeout: idleMs });
  const openRequest = isTls ? requestHttps : requestHttp;

  return async (call) => {
    const { status, text } = await send(call, AbortSignal.timeout(call.timeoutMs)).catch((error: unknown) => {
      const reason = reasonOf(error);
      throw isInvalidResponse(error, reason)
        ? new InvalidReplyError(call.what, reason)
        : new NoReplyError(call.what, reason);
    });
    if (status >= 502 && status <= 504) throw new NoReplyError(call.what, `HTTP ${status}`);
    if (status >= 500 || (status >= 300 && status < 400)) throw new InvalidReplyError(call.what, `HTTP ${status}`);
    return { status, body: parse(text) };
  };

  async function send({ path, body, headers: more }: Call, signal: AbortSignal) {
    const content = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const request = openRequest(`${url}${path}`, {
      agent,
      signal,
      method: content === null ? "GET" : "POST",
      headers: {
        ...headers,
        ...more,
        ...(content === null ? {} : { "content-type": "application/json", "content-length": content.byteLength }),
      },
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request.on("response", resolve).on("error", (error) => reject(asTimeout(error, signal)));
    // It may contain a card. After `close`, nothing is sent any more.
    request.on("close", () => content?.fill(0));
    request.end(content ?? undefined);
    const response = await promise;
    const text = await readBounded(response).catch((error: unknown) => {
      throw asTimeout(error, signal);
    });
    return { status: response.statusCode ?? 0, text };
  }
};

/** The response was refused: it's too large or compressed, which we didn't ask for. */
class RefusedResponse extends Error {
  override readonly name = "RefusedResponse";
}

/** An aborted request fails with an AbortError, whose reason says that it took too long. */
function asTimeout(error: unknown, { aborted, reason }: AbortSignal): unknown {
  return aborted ? reason : error;
}

/**
 * How long an idle connection is kept for the next request. Servers keep theirs for longer. If one closed a connection
 * just as we use it again, nobody would know whether it received the request.
 */
const idleMs = 1_000;

/** Maximum size of a response. The largest table has 200,000 card ranges and about half this size. */
const maxResponseBytes = 64 * 1024 * 1024;

async function readBounded(response: IncomingMessage): Promise<string> {
  if ((response.headers["content-encoding"] ?? "identity") !== "identity") {
    response.destroy();
    throw new RefusedResponse("The response is compressed");
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) throw new RefusedResponse("The response is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Node's name for the error, such as `ECONNREFUSED` or `HPE_INVALID_CONSTANT`. */
function reasonOf(error: unknown): string {
  const { name, code } = error as NodeJS.ErrnoException; // node:http and streams throw only Errors
  return typeof code === "string" ? code : name;
}

/**
 * Whether a response arrived that we or the HTTP parser (`HPE_...`) rejected. All other errors mean a broken or slow
 * connection.
 */
function isInvalidResponse(error: unknown, reason: string): boolean {
  return error instanceof RefusedResponse || reason.startsWith("HPE_");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
