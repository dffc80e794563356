/**
 * A server of raw bytes that can do anything at any moment, and counts who connected, what they sent, and who is still
 * connected. It listens on every address of this machine, so that a connection by any name is counted.
 */
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import type { ServerCertificate } from "./certificates.ts";
import { until } from "./until.ts";

/** The TLS versions and ciphers that the server supports. Defaults to Node's. */
export type TlsVersions = Pick<TlsOptions, "minVersion" | "maxVersion" | "ciphers">;

export interface HostileServer {
  port: number;
  /** The number of connections since the start. */
  connections: number;
  /** With TLS: the server name in each handshake, or false if there was none. */
  serverNames: (string | false)[];
  /** Complete requests, byte for byte. */
  requests: string[];
  bytesReceived: number;
  /** What the server does with a new connection. By default, it waits for a request. */
  onConnect: (socket: Socket) => void;
  /** What the server does with a request. By default, it returns 200. */
  react: (socket: Socket) => void;
  /**
   * Waits until the clients have disconnected. This side never ends a connection by itself, unless `onConnect` or
   * `react` does.
   */
  untilEmpty(): Promise<void>;
  close(): Promise<void>;
}

export async function startHostileServer(certificate?: ServerCertificate & TlsVersions): Promise<HostileServer> {
  const open = new Set<Socket>();
  const listener = certificate === undefined ? createServer(welcome) : createTlsServer(certificate, readRequests);
  if (certificate !== undefined) {
    listener.on("connection", count);
    listener.on("tlsClientError", () => {});
    listener.on(
      "secureConnection",
      ({ servername }: { servername: string | false }) => void server.serverNames.push(servername),
    );
  }
  listener.listen(0);
  await once(listener, "listening");

  const server: HostileServer = {
    port: (listener.address() as AddressInfo).port, // a TCP server's address
    connections: 0,
    serverNames: [],
    requests: [],
    bytesReceived: 0,
    onConnect: () => {},
    react: (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
    untilEmpty: async () => void (await until("all clients to disconnect", () => (open.size === 0 ? true : null))),
    async close() {
      for (const socket of open) socket.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
  return server;

  function count(socket: Socket): void {
    server.connections++;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {}); // clients may disconnect in any way
  }

  function welcome(socket: Socket): void {
    count(socket);
    readRequests(socket);
  }

  function readRequests(socket: Socket): void {
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      server.bytesReceived += chunk.length;
      text += chunk.toString("latin1"); // one byte per character
      const [head = "", body] = text.split(/\r\n\r\n([^]*)/);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      server.requests.push(Buffer.from(text, "latin1").toString());
      text = "";
      server.react(socket);
    });
    server.onConnect(socket);
  }
}

/** Writes as fast as it can until the client disconnects. */
export function pour(socket: Socket, text: string): void {
  const go = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on("drain", go);
  go();
}

/** Writes a little, again and again. */
export function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.on("close", () => clearInterval(timer));
}
