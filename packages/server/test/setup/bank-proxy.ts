/**
 * A proxy between the service and the bank that passes everything on, and lets a test cause network failures. A request
 * can be delayed, and its response can be lost after the bank has done the work.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";

export interface BankProxy {
  url: string;
  /**
   * Called for each request, such as `POST /acquirer/authorizations`, before it is passed on. `lose`: the bank gets the
   * request, but the service gets no response.
   */
  watch: (request: string) => Promise<"pass" | "lose"> | "pass" | "lose";
  close(): Promise<void>;
}

export async function openBankProxy(bankUrl: string): Promise<BankProxy> {
  const server = createServer((request, response) => {
    passOn(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Bug: no port");

  const line: BankProxy = {
    url: `http://127.0.0.1:${address.port}`,
    watch: () => "pass",
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return line;

  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const body = await buffer(request);
    const fate = await line.watch(`${method} ${path}`);
    const answer = await fetch(`${bankUrl}${path}`, {
      method,
      headers: { authorization: headers.authorization ?? "", "content-type": headers["content-type"] ?? "text/plain" },
      ...(method === "GET" ? {} : { body }),
    });
    const text = await answer.text();
    if (fate === "lose") response.destroy();
    else response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  }
}
