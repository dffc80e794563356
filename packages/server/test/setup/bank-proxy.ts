/**
 * A proxy between the service and the bank that passes everything on, and lets a test cause network failures. A request
 * can be delayed, and its response can be lost or garbled after the bank has done the work.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { listenLocally } from "../../../../scripts/test/listen-locally.ts";

export type ProxyAction = "pass" | "lose" | "garble";

export interface BankProxy {
  url: string;
  /**
   * Called for each request, such as `POST /acquirer/authorizations`, before it is passed on. `lose`: the bank gets the
   * request, but the service gets no response. `garble`: the service gets a response that isn't JSON.
   */
  watch: (request: string, body: string) => Promise<ProxyAction> | ProxyAction;
  close(): Promise<void>;
}

export async function openBankProxy(bankUrl: string): Promise<BankProxy> {
  const server = createServer((request, response) => {
    passOn(request, response).catch(() => response.destroy());
  });
  const { url, close } = await listenLocally(server);

  const line: BankProxy = {
    url,
    watch: () => "pass",
    close,
  };
  return line;

  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const body = await buffer(request);
    const action = await line.watch(`${method} ${path}`, body.toString());
    const reply = await fetch(`${bankUrl}${path}`, {
      method,
      headers: { "content-type": "text/plain", ...passedOn(headers) },
      ...(method === "GET" ? {} : { body }),
    });
    const text = await reply.text();
    if (action === "lose") response.destroy();
    else response.writeHead(reply.status, { "content-type": "application/json" }).end(action === "garble" ? "<" : text);
  }
}

/** The headers that a bank needs. */
function passedOn(headers: IncomingMessage["headers"]): Record<string, string> {
  const names = ["authorization", "content-type", "x-api-key", "idempotency-key"];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}
