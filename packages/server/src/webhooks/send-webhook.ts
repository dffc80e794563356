/**
 * Sends one webhook as an HTTP POST. Uses the network, but no database.
 *
 * The target is hostile: it may resolve to any address, respond with anything, slowly or forever, and close the
 * connection at any time. Each of these is a failure with its own code. Nothing the target does can throw, exceed the
 * time limit, or leave a connection open.
 *
 * 1. Read and check the URL (`target.ts`). Resolve the name once.
 * 2. Connect to a checked IP address, never to a name, and verify the remote address before sending anything.
 * 3. For https, do the TLS handshake for the host in the merchant's URL. The certificate must be valid now, be for that
 *    host, and come from an authority that Node trusts or that the operator added with `NODE_EXTRA_CA_CERTS`.
 * 4. Send the request, and read the response until it ends or exceeds the limit.
 *
 * Steps 2 and 3 give the request an open connection, so no agent or proxy variable can redirect it. Each connection
 * serves one request. That way merchants never share one, and the checked connection is the one used. Deliveries to one
 * endpoint are too rare for keep-alive to be worth the risk.
 */
import { request as httpRequest, validateHeaderName, validateHeaderValue, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { DeliveryFailure } from "@oriel/protocol/api";
import { startTimeLimit } from "@oriel/time-limit";
import type { Network } from "./network.ts";
import { hostOf, isSameAddress, portOf, readTarget, vetTarget, type TargetRules } from "./target.ts";

export interface WebhookRequest {
  url: string;
  rules: TargetRules;
  /** Headers other than `host`, `content-length`, `accept-encoding` and `connection`, which are set here. */
  headers: Record<string, string>;
  body: string;
}

export interface SentWebhook {
  /** Null: there was no response. A failure can have a status too: 500, or 200 with a truncated body. */
  status: number | null;
  /** The first kilobyte of the response, as printable text. Null: there was no response. */
  body: string | null;
  /** Null: success, with a complete 2xx response. */
  failure: DeliveryFailure | null;
  /** The value of `Retry-After`, without a limit. Null if missing or invalid. */
  retryAfterSeconds: number | null;
  durationMs: number;
}

/** The rest of a longer response isn't read, because only the status matters. */
const maxResponseBytes = 64 * 1024;
/** For the response headers, and for anything before and after the response. */
const maxHeaderBytes = 16 * 1024;
const storedBytes = 1024;

/**
 * @param giveUp aborts the request like a timeout
 * @throws only for invalid headers, which are the caller's bug
 */
export async function sendWebhook(
  network: Network,
  request: WebhookRequest,
  giveUp?: AbortSignal,
): Promise<SentWebhook> {
  for (const [name, value] of Object.entries(request.headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  const startedAt = network.monotonicMs();
  const limit = startTimeLimit(network.timeLimitMs, giveUp);
  try {
    const result = await send(network, request, limit.signal);
    return { ...result, durationMs: Math.round(network.monotonicMs() - startedAt) };
  } finally {
    limit.release();
  }
}

type Result = Omit<SentWebhook, "durationMs">;

async function send(network: Network, request: WebhookRequest, signal: AbortSignal): Promise<Result> {
  const { rules } = request;
  const target = readTarget(request.url, rules);
  if (!target.ok) return noResponse("address_not_allowed");
  const vetted = await vetTarget(target.url, rules, network.resolve, signal);
  if (!vetted.ok) return noResponse(vetted.failure);
  const connected = await connectToFirst(network, vetted.addresses, portOf(target.url), signal);
  if (!connected.ok) return noResponse(connected.failure);
  try {
    if (target.url.protocol === "http:") return await exchange(connected.socket, target.url, request, network, signal);
    const secured = await secure(connected.socket, hostOf(target.url), network.certificateAuthorities, signal);
    if (!secured.ok) return noResponse(secured.failure);
    return await exchange(secured.socket, target.url, request, network, signal);
  } finally {
    connected.socket.destroy(); // also ends the TLS session, if any
  }
}

function noResponse(failure: DeliveryFailure): Result {
  return { status: null, body: null, failure, retryAfterSeconds: null };
}

type Connection = { ok: true; socket: Socket } | { ok: false; failure: DeliveryFailure };

/**
 * Connects to the first address that accepts. After a refusal the next address is tried. An address that doesn't
 * respond uses up the remaining time.
 */
async function connectToFirst(
  network: Network,
  addresses: string[],
  port: number,
  signal: AbortSignal,
): Promise<Connection> {
  for (const host of addresses) {
    const socket = network.connect({ host, port, signal });
    const error = await untilOpen(socket, "connect");
    if (error === null && isSameAddress(socket.remoteAddress ?? "", host)) return { ok: true, socket };
    socket.destroy();
    if (error === null) return { ok: false, failure: "address_not_allowed" };
    if (signal.aborted) return { ok: false, failure: "timeout" };
  }
  return { ok: false, failure: "connection" };
}

/**
 * Sets `rejectUnauthorized` explicitly, so that certificates are verified whatever `NODE_TLS_REJECT_UNAUTHORIZED` says.
 */
async function secure(
  socket: Socket,
  host: string,
  authorities: string | null,
  signal: AbortSignal,
): Promise<Connection> {
  const secured = connectTls({
    socket,
    host, // the certificate must be for this host
    ...(isIP(host) === 0 ? { servername: host } : {}), // RFC 6066 doesn't allow IP addresses
    ...(authorities === null ? {} : { ca: authorities }),
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
  });
  const error = await untilOpen(secured, "secureConnect");
  if (error === null) return { ok: true, socket: secured };
  secured.destroy();
  return { ok: false, failure: signal.aborted ? "timeout" : isNetworkError(error) ? "connection" : "tls" };
}

/** The error listener stays attached. Without one, an error on the socket would crash the process. */
function untilOpen(socket: Socket, event: "connect" | "secureConnect"): Promise<Error | null> {
  return new Promise((resolve) => {
    socket.once(event, () => resolve(null));
    socket.on("error", resolve);
    socket.once("close", () => resolve(connectionClosed()));
  });
}

const networkErrors = new Set([
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
]);

function isNetworkError(error: Error & { code?: unknown }): boolean {
  return typeof error.code === "string" && networkErrors.has(error.code);
}

function connectionClosed(): Error {
  return Object.assign(new Error("The connection was closed"), { code: "ECONNRESET" });
}

/** Sends the request on an open connection and reads the response. Settles once, and ignores later events. */
function exchange(
  socket: Socket,
  url: URL,
  { headers, body }: WebhookRequest,
  { now }: Network,
  signal: AbortSignal,
): Promise<Result> {
  return new Promise((resolve) => {
    let response: IncomingMessage | null = null;
    let bytesBefore = 0;
    let bytes = 0;
    const stored: Buffer[] = [];

    const settle = (failure: DeliveryFailure | null) => {
      if (response === null) return resolve(noResponse(failure ?? "connection"));
      const status = response.statusCode ?? 0;
      resolve({
        status,
        body: textOf(Buffer.concat(stored), bytes > storedBytes),
        failure: failure ?? (status >= 200 && status < 300 ? null : "response_status"),
        retryAfterSeconds: retryAfterSeconds(response.headers["retry-after"], now()),
      });
    };
    const fail = (error: Error & { code?: unknown }) => {
      if (response?.complete) return settle(null); // bytes after the response don't matter
      const isTls = typeof error.code === "string" && /^ERR_(SSL|TLS)_/.test(error.code);
      settle(signal.aborted ? "timeout" : isTls ? "tls" : "connection");
    };
    // Settle at the time limit, even if the connection emits nothing when it is destroyed.
    signal.addEventListener("abort", () => settle("timeout"), { once: true });
    if (signal.aborted) return settle("timeout");

    const outgoing = httpRequest({
      method: "POST",
      path: url.pathname + url.search,
      headers: {
        ...headers,
        host: url.host,
        "accept-encoding": "identity",
        "content-length": String(Buffer.byteLength(body)),
        connection: "close",
      },
      createConnection: () => socket,
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
    });
    outgoing.on("error", fail);
    outgoing.on("close", () => fail(connectionClosed()));
    outgoing.on("upgrade", () => settle("connection")); // status 101, which the request didn't ask for
    // Informational responses (100, 103) come before the actual response and are ignored, up to a limit.
    outgoing.on("socket", () =>
      socket.on("data", (chunk: Buffer) => {
        bytesBefore += chunk.length;
        if (response === null && bytesBefore > maxResponseBytes) settle("connection");
      }),
    );
    outgoing.on("response", (incoming) => {
      response = incoming;
      incoming.on("data", (chunk: Buffer) => {
        if (bytes < storedBytes) stored.push(chunk.subarray(0, storedBytes - bytes));
        bytes += chunk.length;
        if (bytes > maxResponseBytes) settle(null);
      });
      incoming.on("end", () => settle(null));
      incoming.on("error", fail);
    });
    outgoing.end(body);
  });
}

/**
 * Decodes UTF-8. Invalid bytes and control characters, which databases or terminals reject, become U+FFFD. A character
 * that is cut off at the end is dropped.
 */
function textOf(bytes: Buffer, isCut: boolean): string {
  const text = new TextDecoder().decode(bytes, { stream: isCut });
  return text.replace(/\r\n?/g, "\n").replace(/(?![\t\n])\p{Cc}/gu, "\ufffd");
}

/** Parses seconds, or a date in RFC 9110's preferred format (not the two obsolete ones). A past date is 0. */
function retryAfterSeconds(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = new Date(value);
  if (Number.isNaN(date.getTime()) || date.toUTCString() !== value) return null;
  return Math.max(0, Math.ceil((date.getTime() - now.getTime()) / 1000));
}
