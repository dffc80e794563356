/** What a merchant's server and its customers do, so that the dashboard has something to show. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { Page } from "@playwright/test";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { cards, pay, type Card } from "../checkout.ts";
import { expectReceived, formIn } from "../hosts/host-checkout.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { addresses } from "../urls.ts";

/** Sends a request with a secret key. A decline isn't an error. */
export async function api(
  key: string,
  path: string,
  body: object,
  idempotencyKey: string = randomUUID(),
): Promise<{ id: string; embed_url: string }> {
  const response = await fetch(`${addresses.api}/api/v1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as { id: string; embed_url: string }; // callers use only fields that exist
  if (response.status !== 200 && response.status !== 402) throw new Error(`${path}: ${JSON.stringify(result)}`);
  return result;
}

/** Pays in the iframe, on a page of the merchant. @param typed what the customer enters besides the card */
export async function payAsCustomer(
  page: Page,
  embedUrl: string,
  card: Card,
  typed: { name: string; email: string },
): Promise<void> {
  const options = {
    embedUrl,
    locale: "en",
    fields: { name: "required", email: "required" },
    defaultValues: typed,
  };
  await page.goto(await pageAddress(appPage("esm", options)));
  await pay(formIn(page), card);
  await expectReceived(page, card === cards.approved ? "complete" : "decline");
}

/** A webhook receiver that responds with this status. Ends with the process. @returns its URL */
export async function startReceiver(status: number, body = "", path = "/webhooks"): Promise<string> {
  const receiver = createServer((_request, response) =>
    response.writeHead(status, { "content-type": "text/html" }).end(body),
  );
  const { url } = await listenLocally(receiver);
  receiver.unref();
  return `${url}${path}`;
}
