/**
 * The HTTP/1.1 server under all of our listeners. It doesn't rely on clients to read their responses, to finish their
 * requests, or to wait their turn.
 *
 * Node parses every pipelined request that arrives and calls the handler for all of them at once. It waits indefinitely
 * for a client to read a response, and keeps idle connections open while the process ends. This class adds what is
 * missing:
 *
 * - **One at a time.** A connection's next request starts when the previous response is finished. A few requests may
 *   wait. A client that sends more is disconnected.
 * - **Progress.** A connection is *idle*, *waiting for us* (the handler is working) or *waiting for the client*: for
 *   the rest of a request, or for the client to read. A client that makes no progress for `stallMs` while we wait for
 *   it is disconnected. Node's own timeouts for headers, whole requests and idle connections apply as well.
 * - **Limits.** On connections in total, on connections per client, and on the bytes of requests and responses in
 *   memory (`isFull`).
 * - **Lost requests.** A request that doesn't arrive completely gets no response, just like one that never arrived. Any
 *   response would tell the client that sending it again doesn't help.
 * - **Retiring.** Before it stops, the listener serves for a while longer, and closes each connection after its next
 *   response. Proxies then have time to close their idle connections, so no request is lost on one that closes.
 * - **Draining.** Idle connections close at once, the others after the response that they are waiting for (RFC 9112,
 *   9.6). A connection that was opened just before counts as waiting for its first response.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface ListenerLimits {
  /** Maximum number of open connections, in total and per client. */
  connections: number;
  connectionsPerClient: number;
  /** Maximum number of pipelined requests waiting on one connection. */
  waitingRequests: number;
  /** Limit for the bytes of unfinished requests and unread responses. Above it, the listener is full. */
  bytesInFlight: number;
  /** How long a client may go without progress during a request or a response, normally and during shutdown. */
  stallMs: number;
  drainingStallMs: number;
  /** How long a request and its response may take in total, even if the client keeps reading. */
  exchangeMs: number;
  /** How long a client may take to send the headers, and the whole request. */
  headersMs: number;
  requestMs: number;
  /** How long a connection may be idle between two requests. */
  idleMs: number;
}

export const defaultLimits: Readonly<ListenerLimits> = {
  connections: 8_192,
  connectionsPerClient: 256,
  waitingRequests: 8,
  bytesInFlight: 64 * 1024 * 1024,
  stallMs: 15_000,
  drainingStallMs: 2_000,
  exchangeMs: 300_000,
  headersMs: 10_000,
  // Uploading a 10 MB document at 2 Mbit/s takes 40 seconds.
  requestMs: 60_000,
  idleMs: 72_000,
};

export interface ListenerOptions {
  limits?: Partial<ListenerLimits>;
  /**
   * Returns the client that a connection counts toward. Null if the address stands for many clients, such as a trusted
   * proxy's address.
   */
  clientOf?: (address: string) => string | null;
  /** Called before a connection over a limit is closed. */
  onRefused?: (client: string, limit: "connections" | "connectionsPerClient") => void;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  startedAt: number;
}

interface Connection {
  socket: Socket;
  client: string | null;
  current: Exchange | null;
  /** Whether the client hasn't sent its first request yet. */
  isNew: boolean;
  waiting: { request: IncomingMessage; response: ServerResponse }[];
  /** Bytes the socket had read when the last exchange ended. */
  readBefore: number;
  /** When the client last made progress, and how many bytes the socket had read and still had to send then. */
  progress: { read: number; unsent: number; at: number };
}

/** The bytes in flight are recounted at most this often. */
const recountMs = 100;
/**
 * How long a client has to read the error before its connection is closed. Closing while unread bytes wait in our
 * buffer resets the connection, and the client loses what it hasn't read. So closing takes two steps (RFC 9112, 9.6).
 */
const lingerMs = 250;

/**
 * The server stops listening after a turn of the event loop that was shorter than this and accepted no connection. It
 * stops waiting for such a turn after `quietWithinMs`.
 */
const quietTurnMs = 0.2;
const quietWithinMs = 2_000;

const withSharedBody = new WeakSet<ServerResponse>();

/**
 * Call this for a response whose body is a buffer that the process keeps anyway. The body then doesn't count toward the
 * bytes in flight.
 */
export function sharesBody(response: ServerResponse): void {
  withSharedBody.add(response);
}

export class HttpListener {
  readonly #limits: ListenerLimits;
  readonly #clientOf: (address: string) => string | null;
  readonly #onRefused: NonNullable<ListenerOptions["onRefused"]>;
  readonly #connections = new Map<Socket, Connection>();
  readonly #perClient = new Map<string, number>();
  /** Connections with an exchange in progress. */
  readonly #busy = new Set<Connection>();
  #counted = { bytes: 0, at: -Infinity };
  /** How many connections were accepted so far. */
  #accepted = 0;
  #isRetiring = false;
  #isDraining = false;

  constructor({ limits, clientOf = (address) => address, onRefused = () => {} }: ListenerOptions = {}) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#clientOf = clientOf;
    this.#onRefused = onRefused;
  }

  /** @param handle a request listener, as for `node:http`. You can use this method as Fastify's `serverFactory`. */
  createServer(handle: RequestListener): Server {
    const { headersMs, requestMs, idleMs, stallMs, drainingStallMs } = this.#limits;
    const server = createServer({
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: Math.min(1_000, headersMs),
      maxHeaderSize: 16 * 1024,
    });
    server.maxRequestsPerSocket = 10_000;
    // `server.close()` calls this. Node's own version considers a connection idle as soon as its response is written to
    // the socket, even if the client hasn't read it.
    server.closeIdleConnections = () => this.#closeIdle();
    const close = server.close.bind(server);
    server.close = (callback) => {
      this.#whenNobodyConnects(() => close(callback));
      return server;
    };
    server.on("connection", (socket: Socket) => this.#admit(socket));
    server.on("request", (request, response) => this.#enqueue(request, response, handle));
    const timer = setInterval(() => this.#disconnectStalled(), Math.min(1_000, stallMs / 4, drainingStallMs / 4));
    timer.unref();
    server.once("close", () => clearInterval(timer));
    return server;
  }

  /** Whether so many bytes are in flight that new requests should be refused with 503. */
  isFull(): boolean {
    const now = performance.now();
    if (now - this.#counted.at >= recountMs) this.#counted = { bytes: this.#countBytes(), at: now };
    return this.#counted.bytes > this.#limits.bytesInFlight;
  }

  /** Call this some time before `drain()`. From then on, each connection closes after its next response. */
  retire(): void {
    this.#isRetiring = true;
    for (const { current } of this.#busy)
      if (current?.response.headersSent === false) current.response.shouldKeepAlive = false;
  }

  get isRetiring(): boolean {
    return this.#isRetiring;
  }

  /** Call this before `server.close()`. From then on, each connection closes after the response it is waiting for. */
  drain(): void {
    this.retire();
    this.#isDraining = true;
    this.#closeIdle();
  }

  /**
   * Responds to bytes that can't be parsed as a request, and closes the connection. Sends nothing if the client would
   * mistake it for the response to the previous request, or if the request just didn't arrive.
   */
  hangUp(error: Error & { code?: string }, socket: Socket, body: string): void {
    const current = this.#connections.get(socket)?.current ?? null;
    const isMisleading = current !== null && (current.request.complete || current.response.headersSent);
    if (!isAboutBytes(error) || !socket.writable || isMisleading) return void socket.destroy();
    socket.pause(); // remaining bytes aren't read or parsed
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
    setTimeout(() => socket.destroy(), lingerMs);
  }

  /**
   * When a socket stops listening, the kernel resets the connections that it has accepted but the process hasn't, with
   * the requests on them. So this waits for a moment in which there are most likely none.
   */
  #whenNobodyConnects(stop: () => void, since = performance.now()): void {
    const turn = { accepted: this.#accepted, at: performance.now() };
    setImmediate(() => {
      const now = performance.now();
      const isQuiet = this.#accepted === turn.accepted && now - turn.at < quietTurnMs;
      if (isQuiet || now - since > quietWithinMs) stop();
      else this.#whenNobodyConnects(stop, since);
    });
  }

  #admit(socket: Socket): void {
    this.#accepted += 1;
    const client = this.#clientOf(socket.remoteAddress ?? "");
    const ofClient = client === null ? 0 : (this.#perClient.get(client) ?? 0);
    if (ofClient >= this.#limits.connectionsPerClient || this.#connections.size >= this.#limits.connections) {
      this.#onRefused(
        client ?? "",
        this.#connections.size >= this.#limits.connections ? "connections" : "connectionsPerClient",
      );
      return void socket.destroy();
    }
    const progress = { read: 0, unsent: 0, at: performance.now() };
    const connection: Connection = { socket, client, current: null, isNew: true, waiting: [], readBefore: 0, progress };
    this.#connections.set(socket, connection);
    if (client !== null) this.#perClient.set(client, ofClient + 1);
    socket.once("close", () => this.#forget(connection));
  }

  #forget(connection: Connection): void {
    const { socket, client } = connection;
    this.#connections.delete(socket);
    this.#busy.delete(connection);
    connection.waiting = [];
    if (client === null) return;
    const left = (this.#perClient.get(client) ?? 1) - 1;
    if (left > 0) this.#perClient.set(client, left);
    else this.#perClient.delete(client);
  }

  #enqueue(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined || request.socket.destroyed) return; // refused, or closed during parsing
    if (connection.current === null) return this.#start(connection, { request, response }, handle);
    if (connection.waiting.length >= this.#limits.waitingRequests) return void request.socket.destroy();
    connection.waiting.push({ request, response });
  }

  #start(
    connection: Connection,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    handle: RequestListener,
  ): void {
    const now = performance.now();
    connection.current = { request, response, startedAt: now };
    connection.isNew = false;
    if (this.#isRetiring) response.shouldKeepAlive = false;
    connection.progress = { read: connection.socket.bytesRead, unsent: 0, at: now };
    this.#busy.add(connection);
    const end = (): void => this.#end(connection, handle);
    // After an early response, the rest of the request still has to arrive, so we keep waiting for the client.
    response.once("close", () => (request.complete || request.destroyed ? end() : request.once("close", end)));
    handle(request, response);
  }

  #end(connection: Connection, handle: RequestListener): void {
    const { socket } = connection;
    connection.current = null;
    connection.readBefore = socket.bytesRead;
    const next = connection.waiting.shift();
    if (this.#isDraining) return socket.destroySoon();
    if (next !== undefined && !socket.destroyed) return this.#start(connection, next, handle);
    this.#busy.delete(connection);
  }

  #closeIdle(): void {
    for (const { socket, current, isNew } of this.#connections.values())
      if (current === null && !isNew) socket.destroy();
  }

  #disconnectStalled(): void {
    const now = performance.now();
    const { stallMs, drainingStallMs, exchangeMs } = this.#limits;
    const timeoutMs = this.#isDraining ? drainingStallMs : stallMs;
    if (this.#isDraining) {
      for (const { socket, isNew, progress } of this.#connections.values())
        if (isNew && now - progress.at >= timeoutMs) socket.destroy();
    }
    for (const connection of this.#busy) {
      const { socket, current, progress } = connection;
      if (current === null) continue;
      const unsent = unsentBytes(socket);
      const isOurTurn = current.request.complete && unsent === 0;
      if (isOurTurn || socket.bytesRead !== progress.read || unsent !== progress.unsent)
        connection.progress = { read: socket.bytesRead, unsent, at: now };
      else if (now - progress.at >= timeoutMs) socket.destroy();
      if (now - current.startedAt >= exchangeMs) socket.destroy();
    }
  }

  #countBytes(): number {
    let bytes = 0;
    for (const { socket, current, readBefore } of this.#busy) {
      bytes += socket.bytesRead - readBefore;
      if (current !== null && !withSharedBody.has(current.response)) bytes += socket.writableLength;
    }
    return bytes;
  }
}

/**
 * Whether the parser has refused bytes. All other errors mean that bytes are missing: the connection broke, the client
 * took too long, or it stopped in the middle of a request.
 */
function isAboutBytes({ code }: { code?: string }): boolean {
  return code?.startsWith("HPE_") === true && code !== "HPE_INVALID_EOF_STATE";
}

/**
 * Bytes the kernel hasn't accepted yet. `writableLength` counts a large buffer in full until its last byte is accepted.
 * The handle's own count, which Node's socket timeouts also use, decreases with each part.
 */
function unsentBytes(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): number {
  return socket.writableLength === 0 ? 0 : (socket._handle?.writeQueueSize ?? socket.writableLength);
}
