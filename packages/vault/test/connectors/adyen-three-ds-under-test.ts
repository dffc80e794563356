/**
 * Adyen's 3DS Server of the connector, with the sandbox's Adyen simulator. A relay between them checks every message
 * against Adyen's published description, and can lose requests and responses or replace a response.
 */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { createBank } from "@oriel/sandbox";
import { listenLocally } from "../../../../scripts/test/listen-locally.ts";
import { createAdyenAcquirer } from "../../src/connectors/adyen/acquirer.ts";
import { createAdyenThreeDSServer } from "../../src/connectors/adyen/three-ds-server.ts";
import { openPublishedDocument } from "./published-document.ts";

export type Fault = "lost request" | "lost response" | { replacedBy: (response: string) => string };

export interface Sent {
  path: string;
  key: string;
  body: string;
}

export async function startAdyenThreeDS() {
  const published = openPublishedDocument();
  const merchant = { merchantAccount: "KilnAndClay", returnUrl: "https://shop.example/return" };
  const apiKey = "the-key-that-adyen-gave-us";
  const mistakes: string[] = [];
  const sent: Sent[] = [];
  const faults: Fault[] = [];
  const bank = await createBank({
    origin: "http://bank.localhost:5996",
    apiKey: "the-key-of-the-sandbox-itself",
    resultsKey: "the-key-we-gave-the-bank",
    adyen: { apiKey, merchantAccount: merchant.merchantAccount },
  });
  const bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });

  const relay = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? "";
      const body = await text(request);
      const key = String(request.headers["idempotency-key"]);
      note(() => published.checkRequest("POST", path, JSON.parse(body)));
      sent.push({ path, key, body });
      const fault = faults.shift();
      if (fault === "lost request") return void response.destroy();
      const headers = { "content-type": "application/json", "x-api-key": apiKey, "idempotency-key": key };
      const received = await fetch(`${bankUrl}/adyen/v71${path}`, { method: "POST", headers, body });
      const reply = await received.text();
      const json = JSON.parse(reply) as object; // the simulator's response
      note(() => published.checkResponse("POST", describedAt(path, json), received.status, json));
      if (fault === "lost response") return void response.destroy();
      response.writeHead(received.status, { "content-type": "application/json" });
      response.end(typeof fault === "object" ? fault.replacedBy(reply) : reply);
    })();
  });
  const { url, close } = await listenLocally(relay);
  const options = { mode: "test", url, apiKey, ...merchant } as const;

  return {
    server: createAdyenThreeDSServer(options),
    acquirer: createAdyenAcquirer(options),
    bankUrl,
    checked: published.checked,
    mistakes,
    /** All requests since the last call, in order. */
    takeSent: () => sent.splice(0),
    /** What happens to the next requests, one each. */
    faults,
    async close() {
      await bank.close();
      await close();
    },
  };

  function note(check: () => void): void {
    try {
      check();
    } catch (error) {
      mistakes.push(error instanceof Error ? error.message : String(error));
    }
  }
}

/** v71 leaves out the action of a details response, which v72 has. It's the same as in the response to `/payments`. */
function describedAt(path: string, body: object): string {
  return "action" in body ? "/payments" : path;
}
