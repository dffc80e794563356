/**
 * A merchant whose payments go through Adyen: a simulator in the test's process. An operator has connected the account,
 * and the merchant's server receives webhooks.
 */
import { createServer, type RequestListener } from "node:http";
import type { Browser, Page } from "@playwright/test";
import type { Charge, Event } from "@oriel/protocol/api";
import type { OperatorAcquirers } from "@oriel/protocol/dashboard/acquirers";
import { createClient, type Oriel } from "@oriel/sdk";
import { webhookHandler } from "@oriel/sdk/express";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { adyen, startAdyenSimulator, type AdyenSimulator } from "../dashboard/adyen-simulator.ts";
import { request, demoOperator, newMerchant } from "../dashboard/visitor.ts";
import { addresses } from "../urls.ts";

export interface AdyenMerchant {
  simulator: AdyenSimulator;
  /** A client with the merchant's secret key. */
  oriel: Oriel;
  /** The final events of a session's charges that the merchant's server received, without repetitions. */
  receivedAbout(sessionId: string): { type: Event["type"]; charge: Charge }[];
  close(): Promise<void>;
}

export async function startAdyenMerchant(browser: Browser): Promise<AdyenMerchant> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const { accountId } = await newMerchant(page);
  const keys = `/data/${accountId}/test/keys`;
  const { secret_key } = await request<{ secret_key: string }>(page, "POST", keys, { name: "Server", scope: "full" });
  const oriel = createClient({ apiUrl: addresses.api, secretKey: secret_key, totalTimeoutMs: 15_000 });

  /** By ID, because an event can arrive twice. */
  const events = new Map<string, Event>();
  let receive: RequestListener = (_request, response) => void response.writeHead(503).end();
  const { url, close } = await listenLocally(createServer((request, response) => receive(request, response)));
  const { secret } = await oriel.webhookEndpoints.create({ url });
  const handle = webhookHandler({ secret, onEvent: (event) => events.set(event.id, event) });
  receive = (request, response) => void handle(request, response, () => response.writeHead(500).end());

  const simulator = await startAdyenSimulator();
  simulator.notificationUrl = await connect(page, accountId, simulator.apiUrl);
  await context.close();

  return {
    simulator,
    oriel,
    receivedAbout(sessionId) {
      const received = [];
      for (const { type, data } of events.values()) {
        if (type !== "payment.succeeded" && type !== "payment_failed") continue;
        const charge = data.object as Charge; // the object of both event types
        if (charge.session_id === sessionId) received.push({ type, charge });
      }
      return received;
    },
    async close() {
      await simulator.close();
      await close();
    },
  };
}

/** As the operator. @returns the URL for notifications */
async function connect(page: Page, accountId: string, apiUrl: string): Promise<string> {
  const { email, password, code } = demoOperator();
  await page.context().clearCookies();
  await page.goto(`${addresses.dashboard}/sign-in`);
  await request(page, "POST", "/auth/sign-in", { email, password });
  await request(page, "POST", "/auth/second-factor", { code: code() });
  const { data } = await request<OperatorAcquirers>(page, "POST", `/operator/accounts/${accountId}/acquirers`, {
    livemode: false,
    connector: "adyen",
    settings: { merchant_account: adyen.merchantAccount, api_url: apiUrl },
    credentials: { api_key: adyen.apiKey, hmac_keys: [adyen.hmacKey] },
  });
  return data[0]?.notification_url ?? "";
}
