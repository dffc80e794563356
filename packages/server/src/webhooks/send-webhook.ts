/**
 * One HTTP POST of one webhook: the network, and no database.
 *
 * The target is hostile: it may name any address, answer anything, slowly or for ever, and end the connection whenever
 * it likes. Each of those is a failure with a name; nothing it does throws, lasts longer than the time limit, or leaves
 * a connection open.
 *
 * 1. read and vet the address (`target.ts`), asking for the name once
 * 2. connect to a vetted address, never to a name, and look at who is at the other end before a byte is sent
 * 3. https: shake hands for the name that the merchant wrote; its certificate must be in date, for that name, and
 *    signed by an authority that Node knows, or that the operator has added with `NODE_EXTRA_CA_CERTS`
 * 4. send, and read the answer until it ends or is too long
 *
 * Steps 2 and 3 give the request a connection that is open already, so no agent and no proxy variable has a say in
 * where it goes. It serves one request: two merchants never share one, what was vetted is what is used, and deliveries
 * to one endpoint are too rare for keeping connections to be worth their risk.
 */
import { request as httpRequest, validateHeaderName, validateHeaderValue, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { DeliveryFailure } from "@oriel/protocol/api";
import { startTimeLimit } from "../platform/time-limit.ts";
import type { Network } from "./network.ts";
import { hostOf, isSameAddress, portOf, readTarget, vetTarget, type TargetRules } from "./target.ts";

export interface WebhookRequest {
  url: string;
  rules: TargetRules;
  /** Beside `host`, `content-length`, `accept-encoding` and `connection`, which are set here. */
  headers: Record<string, string>;
  body: string;
}

export interface SentWebhook {
  /** Null: there was no answer. There may be one and a failure: 500, or 200 with a body that was cut off. */
  status: number | null;
  /** The first kilobyte of the answer, in characters that can be shown. Null: there was no answer. */
  body: string | null;
  /** Null: it was taken, with 2xx. */
  failure: DeliveryFailure | null;
  /** What the target asks for by `Retry-After`, not limited. Null: nothing, or nothing that can be understood. */
  retryAfterSeconds: number | null;
  durationMs: number;
}

/** More of an answer is not read: the status counts. */
const maxResponseBytes = 64 * 1024;
/** For the headers of an answer, and what comes before and after it. */
const maxHeaderBytes = 16 * 1024;
const keptBytes = 1024;

/**
 * @param giveUp ends it as if the time were over
 * @throws only for headers that cannot be sent, which is a bug of the caller
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
    const answer = await send(network, request, limit.signal);
    return { ...answer, durationMs: Math.round(network.monotonicMs() - startedAt) };
  } finally {
    limit.letGo();
  }
}

type Answer = Omit<SentWebhook, "durationMs">;

async function send(network: Network, request: WebhookRequest, signal: AbortSignal): Promise<Answer> {
  const { rules } = request;
  const target = readTarget(request.url, rules);
  if (!target.ok) return noAnswer("address_not_allowed");
  const vetted = await vetTarget(target.url, rules, network.resolve, signal);
  if (!vetted.ok) return noAnswer(vetted.failure);
  const connected = await connectToFirst(network, vetted.addresses, portOf(target.url), signal);
  if (!connected.ok) return noAnswer(connected.failure);
  try {
    if (target.url.protocol === "http:") return await exchange(connected.socket, target.url, request, network, signal);
    const secured = await secure(connected.socket, hostOf(target.url), network.certificateAuthorities, signal);
    if (!secured.ok) return noAnswer(secured.failure);
    return await exchange(secured.socket, target.url, request, network, signal);
  } finally {
    connected.socket.destroy(); // and with it the TLS on top of it
  }
}

function noAnswer(failure: DeliveryFailure): Answer {
  return { status: null, body: null, failure, retryAfterSeconds: null };
}

type Connection = { ok: true; socket: Socket } | { ok: false; failure: DeliveryFailure };

/** An address that refuses makes room for the next one; one that is silent takes the rest of the time. */
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

/** Written out, so that it is always verified, whatever `NODE_TLS_REJECT_UNAUTHORIZED` says. */
async function secure(
  socket: Socket,
  host: string,
  authorities: string | null,
  signal: AbortSignal,
): Promise<Connection> {
  const secured = connectTls({
    socket,
    host, // whose certificate it must be
    ...(isIP(host) === 0 ? { servername: host } : {}), // RFC 6066: no addresses
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

/** The listener for errors stays: a socket without one ends the process when the other side breaks the connection. */
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

/**
 * Sends the request and reads the answer, on a connection that is open. Settles once; what comes later is for nobody.
 */
function exchange(
  socket: Socket,
  url: URL,
  { headers, body }: WebhookRequest,
  { now }: Network,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve) => {
    let response: IncomingMessage | null = null;
    let bytesBefore = 0;
    let bytes = 0;
    const kept: Buffer[] = [];

    const settle = (failure: DeliveryFailure | null) => {
      if (response === null) return resolve(noAnswer(failure ?? "connection"));
      const status = response.statusCode ?? 0;
      resolve({
        status,
        body: textOf(Buffer.concat(kept), bytes > keptBytes),
        failure: failure ?? (status >= 200 && status < 300 ? null : "response_status"),
        retryAfterSeconds: retryAfterSeconds(response.headers["retry-after"], now()),
      });
    };
    const broken = (error: Error & { code?: unknown }) => {
      if (response?.complete) return settle(null); // whatever came after the answer is not part of it
      const isTls = typeof error.code === "string" && /^ERR_(SSL|TLS)_/.test(error.code);
      settle(signal.aborted ? "timeout" : isTls ? "tls" : "connection");
    };
    // Whatever a connection does when it is ended, waiting for it ends here.
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
    outgoing.on("error", broken);
    outgoing.on("close", () => broken(connectionClosed()));
    outgoing.on("upgrade", () => settle("connection")); // 101 to a request that asked for no other protocol
    // Informational answers (100, 103) come before the answer and are waited out, as long as they are not too many.
    outgoing.on("socket", () =>
      socket.on("data", (chunk: Buffer) => {
        bytesBefore += chunk.length;
        if (response === null && bytesBefore > maxResponseBytes) settle("connection");
      }),
    );
    outgoing.on("response", (answer) => {
      response = answer;
      answer.on("data", (chunk: Buffer) => {
        if (bytes < keptBytes) kept.push(chunk.subarray(0, keptBytes - bytes));
        bytes += chunk.length;
        if (bytes > maxResponseBytes) settle(null);
      });
      answer.on("end", () => settle(null));
      answer.on("error", broken);
    });
    outgoing.end(body);
  });
}

/**
 * UTF-8 as far as it is; what neither a database nor a terminal takes becomes U+FFFD. A character that was cut in two
 * is left out.
 */
function textOf(bytes: Buffer, isCut: boolean): string {
  const text = new TextDecoder().decode(bytes, { stream: isCut });
  return text.replace(/\r\n?/g, "\n").replace(/(?![\t\n])\p{Cc}/gu, "\ufffd");
}

/** Seconds, or a date in the form of RFC 9110 that is sent (not the two obsolete ones); a date that has passed is 0. */
function retryAfterSeconds(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = new Date(value);
  if (Number.isNaN(date.getTime()) || date.toUTCString() !== value) return null;
  return Math.max(0, Math.ceil((date.getTime() - now.getTime()) / 1000));
}
