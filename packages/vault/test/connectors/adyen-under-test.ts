/**
 * The Adyen connector with the sandbox's Adyen simulator. A relay between them checks every request and response
 * against Adyen's published description, and can lose responses. Notifications arrive twice and out of order.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json, text } from "node:stream/consumers";
import { createBank } from "@oriel/sandbox";
import { listenLocally } from "../../../../scripts/test/listen-locally.ts";
import type { AcquirerReply, OperationKind } from "../../src/connectors/acquirer.ts";
import { createAdyenAcquirer } from "../../src/connectors/adyen/acquirer.ts";
import { createNotificationReader } from "../../src/connectors/adyen/notifications.ts";
import type { NotificationEvent } from "../../src/connectors/notification.ts";
import type { AcquirerUnderTest, Balances } from "../acquirer-contract.ts";
import { openPublishedDocument, type PublishedDocument } from "./published-document.ts";
import { adyenWebhooksPath, openPublishedWebhooks } from "./published-webhooks.ts";

const apiKey = "the-key-that-adyen-gave-us";
const merchantAccount = "KilnAndClay";
const hmacKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

export interface AdyenUnderTest extends AcquirerUnderTest {
  /** How many messages of each kind were checked. */
  checked: PublishedDocument["checked"];
  /** Messages that don't match the published description, and notifications that the connector refused. */
  mistakes: string[];
  /** Every notification that the connector accepted, in order of arrival. */
  events: NotificationEvent[];
  /** Sends a request to the simulator's control routes. */
  control(path: string, body: object): Promise<void>;
}

export async function startAdyen(): Promise<AdyenUnderTest> {
  const published = openPublishedDocument();
  const webhooks = adyenWebhooksPath() === null ? null : openPublishedWebhooks();
  const read = createNotificationReader({ mode: "test", merchantAccount, hmacKeys: [hmacKey] });
  const mistakes: string[] = [];
  const events: NotificationEvent[] = [];
  const losses: { path: RegExp; reference: string; when: "before" | "after" }[] = [];

  const listener = await serve(async (request, response) => {
    const body: unknown = await json(request);
    if (webhooks !== null) note(() => webhooks.checkNotification(body));
    for (const notification of read(body) ?? [{ refused: "invalid" } as const]) {
      if ("refused" in notification) mistakes.push(`A notification was refused: ${notification.refused}`);
      else events.push(notification.event);
    }
    response.end("[accepted]");
  });
  const bank = await createBank({
    origin: "http://bank.localhost:5996",
    apiKey: "the-key-of-the-sandbox-itself",
    resultsKey: "the-key-we-gave-the-bank",
    adyen: {
      apiKey,
      merchantAccount,
      webhook: { url: listener.url, hmacKey, disorder: { duplicates: 0.3, reorder: true, maxDelayMs: 20 } },
      delays: { outcomeMs: 20, notificationMs: 20 },
    },
  });
  const bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
  const relay = await serve(async (request, response) => {
    const path = request.url ?? "";
    const sent = await text(request);
    const body = JSON.parse(sent) as { reference?: string }; // the connector sends JSON
    note(() => published.checkRequest("POST", path, body));
    const lost = losses.findIndex((loss) => loss.path.test(path) && loss.reference === body.reference);
    const [loss] = lost === -1 ? [] : losses.splice(lost, 1);
    if (loss?.when === "before") return void response.destroy();
    const { "x-api-key": key = "", "idempotency-key": idempotencyKey = "" } = request.headers;
    const headers = { "content-type": "application/json", "x-api-key": String(key) };
    const received = await fetch(`${bankUrl}/adyen/v71${path}`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": String(idempotencyKey) },
      body: sent,
    });
    const reply: unknown = await received.json();
    note(() => published.checkResponse("POST", path, received.status, reply));
    if (loss?.when === "after") return void response.destroy();
    response.writeHead(received.status, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  const acquirer = createAdyenAcquirer({
    mode: "test",
    url: relay.url,
    apiKey,
    merchantAccount,
    returnUrl: "https://shop.example/return",
    moneyTimeoutMs: 5_000,
  });

  return {
    acquirer,
    approvedCard: card("4242424242424242"),
    declinedCard: card("4000000000009995"),
    declineCode: "insufficient_funds",
    checked: published.checked,
    mistakes,
    events,
    moneyOf: async ({ reference }) => moneyOf(await request("GET", `/ledger/${reference}`)),
    loseResponse: async (kind, reference, when) => void losses.push({ path: paths[kind], reference, when }),
    notified: (reply) => outcomeIn(events, reply),
    control: async (path, body) => void (await request("POST", path, body)),
    async close() {
      await bank.close();
      for (const { close } of [relay, listener]) await close();
    },
  };

  function note(check: () => void): void {
    try {
      check();
    } catch (error) {
      mistakes.push(error instanceof Error ? error.message : String(error));
    }
  }

  async function request(method: "GET" | "POST", path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${bankUrl}/adyen/control${path}`, {
      method,
      headers: { "x-api-key": apiKey, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`The simulator returned ${response.status}: ${await response.text()}`);
    return await response.json();
  }
}

/** The paths of each operation. A reversal counts as a refund. A technical cancel isn't among them. */
const paths: Record<OperationKind, RegExp> = {
  authorize: /^\/payments$/,
  capture: /^\/payments\/\w+\/captures$/,
  cancel: /^\/payments\/\w+\/cancels$/,
  refund: /^\/payments\/\w+\/(refunds|reversals)$/,
};

function card(number: string) {
  return { number, expMonth: 12, expYear: 2040, cvc: "737" };
}

function serve(respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  return listenLocally(createServer((request, response) => void respond(request, response)));
}

/** In the simulator's ledger, of one payment. */
function moneyOf(ledger: unknown): Balances | null {
  const { payments, entries } = ledger as {
    payments: unknown[];
    entries: { type: string; account: "reserved" | "merchant"; value: number }[];
  }; // the simulator's format
  if (payments.length === 0) return null;
  if (payments.length > 1) throw new Error("The simulator has several payments with this reference");
  const sum = (fits: (entry: (typeof entries)[number]) => boolean) =>
    entries.filter(fits).reduce((total, { value }) => total + value, 0);
  return {
    reserved: sum(({ account }) => account === "reserved"),
    captured: sum(({ account, type }) => account === "merchant" && type === "captured"),
    refunded: -sum(({ account, type }) => account === "merchant" && type === "refunded") || 0,
  };
}

async function outcomeIn(events: readonly NotificationEvent[], { details }: AcquirerReply) {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    for (const event of events) {
      if (event.type === "unknown" || event.acquirerId !== details.acquirerId) continue;
      const outcome = outcomeOf(event);
      if (outcome !== null) return outcome;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`No notification about ${details.acquirerId} arrived`);
}

/** Null if the event isn't the outcome of a request. */
function outcomeOf(event: NotificationEvent): "approved" | "declined" | null {
  if (["captured", "canceled", "refunded", "reversed"].includes(event.type)) return "approved";
  return ["capture_declined", "cancel_declined", "refund_declined", "reversal_declined"].includes(event.type)
    ? "declined"
    : null;
}
