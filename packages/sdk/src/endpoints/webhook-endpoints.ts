/** Webhook endpoints: the URLs that events are sent to, and the deliveries to each. */
import type {
  CreateWebhookEndpoint,
  CreatedWebhookEndpoint,
  DeletedWebhookEndpoint,
  Delivery,
  Event,
  List,
  RedeliverRange,
  Redelivery,
  RotateSecret,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
} from "@oriel/protocol/api";
import type { ListParams, RequestOptions, WriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** Filters an endpoint's deliveries by event or status. */
export interface DeliveryListParams extends ListParams {
  status?: Delivery["status"];
  event_id?: string;
}

export interface WebhookEndpoints {
  /**
   * Creates a webhook endpoint. `secret` is returned only here. Store it for `webhooks.verify`. Create endpoints once
   * during setup, not each time your server starts.
   *
   * @example const { secret } = await oriel.webhookEndpoints.create({ url: "https://shop.example/webhooks/oriel" });
   * @throws OrielInvalidRequestError `url_not_allowed`
   */
  create(params: CreateWebhookEndpoint, options?: WriteOptions): Promise<CreatedWebhookEndpoint>;

  /**
   * Retrieves an endpoint without its secret. Times are in Unix seconds.
   *
   * @example const { status } = await oriel.webhookEndpoints.retrieve("we_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<WebhookEndpoint>;

  /**
   * Returns one page of endpoints, newest first.
   *
   * @example const { data } = await oriel.webhookEndpoints.list();
   * @throws OrielInvalidRequestError if the limit isn't 1 to 100
   */
  list(params?: ListParams, options?: RequestOptions): Promise<List<WebhookEndpoint>>;

  /**
   * Iterates over all endpoints, newest first. Pages of 100 are fetched as needed.
   *
   * @example for await (const endpoint of oriel.webhookEndpoints.listAll()) console.log(endpoint.url, endpoint.status);
   * @throws the errors of `list`, during iteration
   */
  listAll(params?: ListAllParams, options?: RequestOptions): AsyncIterable<WebhookEndpoint>;

  /**
   * Updates the given fields. `status: "disabled"` stops deliveries and `"enabled"` resumes them.
   * `enabled_events: null` selects every type, and `description: null` removes the description.
   *
   * @example
   * await oriel.webhookEndpoints.update("we_01j9x", { enabled_events: ["payment.succeeded", "payment_failed"] });
   * @throws OrielInvalidRequestError `resource_missing`, `url_not_allowed`
   */
  update(id: string, params: UpdateWebhookEndpoint, options?: RequestOptions): Promise<WebhookEndpoint>;

  /**
   * Deletes an endpoint, which then receives no more events. If a request may have been lost after it had deleted the
   * endpoint, and the next one finds none with this ID, the endpoint counts as deleted. If this throws an
   * OrielConnectionError or OrielApiError, the endpoint may be deleted, and another call then throws `resource_missing`.
   *
   * @example await oriel.webhookEndpoints.del("we_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  del(id: string, options?: RequestOptions): Promise<DeletedWebhookEndpoint>;

  /**
   * Creates a new signing secret, which is returned only here as `secret`. Deliveries are signed with the old secret,
   * too, until `previous_secret_expires_at` (Unix seconds), by default for 24 hours. If the old secret has leaked, use
   * `overlap: "now"` to stop it immediately. Your server then refuses webhooks until it has the new secret, and they're
   * retried later.
   *
   * @example const { secret } = await oriel.webhookEndpoints.rotateSecret("we_01j9x", { overlap: "1h" });
   * @throws OrielInvalidRequestError `resource_missing`
   */
  rotateSecret(id: string, params?: RotateSecret, options?: WriteOptions): Promise<CreatedWebhookEndpoint>;

  /**
   * Sends a `ping` event to the endpoint, regardless of its event types, to check that it's reachable and verifies
   * signatures. See the result in its deliveries.
   *
   * @example
   * const { id } = await oriel.webhookEndpoints.ping("we_01j9x");
   * const { data } = await oriel.webhookEndpoints.listDeliveries("we_01j9x", { event_id: id });
   * @throws OrielInvalidRequestError `resource_missing`, `webhook_endpoint_disabled`
   */
  ping(id: string, options?: WriteOptions): Promise<Event>;

  /**
   * Returns one page of an endpoint's deliveries, newest first, each with its last attempt. Times are in Unix seconds,
   * durations in milliseconds.
   *
   * @example const { data } = await oriel.webhookEndpoints.listDeliveries("we_01j9x", { status: "failed" });
   * @throws OrielInvalidRequestError `resource_missing`, or if the limit isn't 1 to 100
   */
  listDeliveries(id: string, params?: DeliveryListParams, options?: RequestOptions): Promise<List<Delivery>>;

  /**
   * Iterates over all deliveries of an endpoint, newest first. Pages of 100 are fetched as needed.
   *
   * @example
   * const failed = oriel.webhookEndpoints.listAllDeliveries("we_01j9x", { status: "failed" });
   * for await (const { event_id, last_try } of failed) {
   *   console.log(event_id, last_try?.failure, last_try?.response_status);
   * }
   * @throws the errors of `listDeliveries`, during iteration
   */
  listAllDeliveries(
    id: string,
    params?: ListAllParams<DeliveryListParams>,
    options?: RequestOptions,
  ): AsyncIterable<Delivery>;

  /**
   * Sends the events of a period again with the same IDs and sequence numbers: from `from` (inclusive) to `to`
   * (exclusive), in Unix seconds. By default only those that the endpoint hasn't accepted. `deliveries` is the number
   * of events being sent.
   *
   * @example
   * const anHourAgo = Math.floor(Date.now() / 1000) - 3600;
   * const { deliveries } = await oriel.webhookEndpoints.redeliver("we_01j9x", { from: anHourAgo });
   * @throws OrielInvalidRequestError `resource_missing`, `webhook_endpoint_disabled`
   */
  redeliver(id: string, params: RedeliverRange, options?: WriteOptions): Promise<Redelivery>;
}

export function webhookEndpoints({ get, post, patch, del }: Sender): WebhookEndpoints {
  const list: WebhookEndpoints["list"] = (params = {}, options) => get(["webhook_endpoints"], params, options);
  const listDeliveries: WebhookEndpoints["listDeliveries"] = (id, params = {}, options) =>
    get(["webhook_endpoints", id, "deliveries"], params, options);
  const endpoint: WebhookEndpoints = {
    create: (params, options) => post(["webhook_endpoints"], params, options),
    retrieve: (id, options) => get(["webhook_endpoints", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
    update: (id, params, options) => patch(["webhook_endpoints", id], params, options),
    del: (id, options) =>
      del<DeletedWebhookEndpoint>(
        ["webhook_endpoints", id],
        { id, object: "webhook_endpoint", deleted: true },
        options,
      ),
    rotateSecret: (id, params = {}, options) => post(["webhook_endpoints", id, "rotate_secret"], params, options),
    ping: (id, options) => post(["webhook_endpoints", id, "ping"], {}, options),
    listDeliveries,
    listAllDeliveries: (id, params = {}, options) =>
      listAll<DeliveryListParams, Delivery>((page) => listDeliveries(id, page, options), params),
    redeliver: (id, params, options) => post(["webhook_endpoints", id, "redeliver"], params, options),
  };
  return Object.freeze(endpoint);
}
