/**
 * A merchant's webhook endpoint at a unique path of the receiver: what it received, and what the API reports about its
 * deliveries.
 */
import { newMerchant, type Merchant } from "./merchant.ts";
import type { Json, TestService } from "./test-service.ts";
import { until } from "./until.ts";
import type { ReceivedWebhook, WebhookReceiver } from "./webhook-receiver.ts";

export interface TestEndpoint {
  id: string;
  secret: string;
  /** Under `/api/v1`. */
  route: string;
  /** The path on which the receiver gets its webhooks. */
  path: string;
  /** What it has received so far. */
  receivedSoFar(): ReceivedWebhook[];
  /** What it has received, once there are that many. */
  received(count: number): Promise<ReceivedWebhook[]>;
  /**
   * Its deliveries, newest first.
   * @param query such as `?status=failed`
   */
  deliveries(query?: string): Promise<Json[]>;
  /** The delivery of an event, once it is in the requested state. */
  delivery(eventId: string, is: (delivery: Json) => boolean): Promise<Json>;
}

export const hasAttempt = (delivery: Json) => String(delivery["last_try"]) !== "null" && Number(delivery["tries"]) > 0;
export const hasStatus = (status: string) => (delivery: Json) => String(delivery["status"]) === status;

/**
 * A separate merchant with one endpoint.
 * @param more fields of the endpoint, in addition to its URL
 */
export async function newShop(service: TestService, receiver: WebhookReceiver, more: object = {}) {
  const merchant = await newMerchant(service);
  return { merchant, endpoint: await newWebhookEndpoint(merchant, receiver, more) };
}

/**
 * Creates a charge.
 * @returns the ID of its event
 */
export async function createEvent(merchant: Merchant, card = "pm_card_visa"): Promise<string> {
  await merchant.charge(card);
  const [latest] = await merchant.list("events?limit=1");
  return String(latest?.["id"]);
}

let made = 0;

export async function newWebhookEndpoint(
  merchant: Merchant,
  receiver: WebhookReceiver,
  more: object = {},
): Promise<TestEndpoint> {
  const path = `/hooks/of-${++made}`;
  const { body } = await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}${path}`, ...more });
  const id = String(body["id"]);
  const route = `webhook_endpoints/${id}`;
  const deliveries = (query = "?limit=100") => merchant.list(`${route}/deliveries${query}`);
  return {
    id,
    secret: String(body["secret"]),
    route,
    path,
    receivedSoFar: () => receiver.received.filter((webhook) => webhook.path === path),
    received: (count) => receiver.at(path, count),
    deliveries,
    delivery: (eventId, is) =>
      until(`the delivery of ${eventId}`, async () => {
        const [delivery] = await deliveries(`?event_id=${eventId}`);
        return delivery !== undefined && is(delivery) ? delivery : null;
      }),
  };
}
