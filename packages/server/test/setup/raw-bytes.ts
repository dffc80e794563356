/** Sends bytes over a plain socket, for requests that no HTTP client would send. */
import { connect } from "node:net";

export interface RawResponse {
  status: number;
  /** In lowercase, without the status line. */
  head: string;
  body: string;
}

/** Waits until the service closes the connection. Send `Connection: close` if you expect a successful response. */
export async function sendBytes(origin: string, ...bytes: (string | Uint8Array)[]): Promise<RawResponse> {
  const { port } = new URL(origin);
  const received = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => {
      for (const part of bytes) socket.write(part);
    });
    let text = "";
    socket.setTimeout(10_000, () => socket.destroy(new Error(`The connection stayed open after: ${text}`)));
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    socket.once("error", reject);
    socket.once("close", () => resolve(text));
  });
  const [head = "", ...rest] = received.split("\r\n\r\n");
  const [statusLine = "", ...headers] = head.split("\r\n");
  return {
    status: Number(statusLine.split(" ")[1]),
    head: headers.join("\n").toLowerCase(),
    body: rest.join("\r\n\r\n"),
  };
}
