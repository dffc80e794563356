/** Raw HTTP on one connection, which shows the exact bytes, such as a duplicate or missing response. */
import { once } from "node:events";
import { connect } from "node:net";
import { apiKey } from "./bank-client.ts";

export interface RawClient {
  /** Sends a request, as a POST if it has a body. The response is added to `received`. */
  send(path: string, body?: object): void;
  /** Sends exactly this text. */
  write(bytes: string | Uint8Array): void;
  received(): string;
  /** Resolves to everything received once the other side has closed the connection. */
  ended: Promise<string>;
  close(): void;
}

export async function connectRaw(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("utf8").on("data", (text) => (received += text));
  socket.on("error", () => {}); // a reset counts as a close
  const ended = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  await once(socket, "connect");
  return {
    send(path, body) {
      const text = body === undefined ? "" : JSON.stringify(body);
      const headers = [
        `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1`,
        "host: bank",
        `authorization: Bearer ${apiKey}`,
        ...(body === undefined ? [] : ["content-type: application/json", `content-length: ${Buffer.byteLength(text)}`]),
      ];
      socket.write(`${headers.join("\r\n")}\r\n\r\n${text}`);
    },
    write: (bytes) => void socket.write(bytes),
    received: () => received,
    ended,
    close: () => void socket.destroy(),
  };
}
