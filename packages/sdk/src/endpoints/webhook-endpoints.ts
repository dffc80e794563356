/** Webhook endpoints: the addresses that events are delivered to, and what became of each delivery. */
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

/** Which deliveries of an endpoint: those of one event, or in one state. */
export interface DeliveryListParams extends ListParams {
  status?: Delivery["status"];
  event_id?: string;
}

export interface WebhookEndpoints {
  /**
   * Has events delivered to an address. `secret` is given here only: keep it for `webhooks.verify`. Make an endpoint
   * when you set your shop up, not each time your server starts.
   *
   * @example const { secret } = await oriel.webhookEndpoints.create({ url: "https://shop.example/webhooks/oriel" });
   * @throws OrielInvalidRequestError `url_not_allowed`
   */
  create(params: CreateWebhookEndpoint, options?: WriteOptions): Promise<CreatedWebhookEndpoint>;

  /**
   * One endpoint, without its secret. Times are in unix seconds.
   *
   * @example const { status } = await oriel.webhookEndpoints.retrieve("we_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<WebhookEndpoint>;

  /**
   * One page of endpoints, newest first.
   *
   * @example const { data } = await oriel.webhookEndpoints.list();
   * @throws OrielInvalidRequestError for a limit that is not 1 to 100
   */
  list(params?: ListParams, options?: RequestOptions): Promise<List<WebhookEndpoint>>;

  /**
   * Every endpoint, newest first, asked for in pages of 100 as the loop goes on.
   *
   * @example for await (const endpoint of oriel.webhookEndpoints.listAll()) console.log(endpoint.url, endpoint.status);
   * @throws what `list` throws, in the middle of the loop
   */
  listAll(params?: ListAllParams, options?: RequestOptions): AsyncIterable<WebhookEndpoint>;

  /**
   * Changes what is given and leaves the rest. `status: "disabled"` stops deliveries; `"enabled"` begins anew.
   * `enabled_events: null` means every type, `description: null` none.
   *
   * @example await oriel.webhookEndpoints.update("we_01j9x", { enabled_events: ["payment.succeeded", "payment_failed"] });
   * @throws OrielInvalidRequestError `resource_missing`, `url_not_allowed`
   */
  update(id: string, params: UpdateWebhookEndpoint, options?: RequestOptions): Promise<WebhookEndpoint>;

  /**
   * Deletes an endpoint: nothing is sent to it any more. A call that was sent again, because its first answer was lost,
   * can meet `resource_missing`: then it is gone as well.
   *
   * @example await oriel.webhookEndpoints.del("we_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  del(id: string, options?: RequestOptions): Promise<DeletedWebhookEndpoint>;

  /**
   * Gives the endpoint a new signing secret, in `secret`, here only. Until `previous_secret_expires_at`, in unix
   * seconds, deliveries are signed with the old one as well: by default for 24 hours. `overlap: "now"` ends the old one
   * at once, for a secret that somebody else has seen: until the receiver has the new one it refuses what comes, which
   * is tried again later.
   *
   * @example const { secret } = await oriel.webhookEndpoints.rotateSecret("we_01j9x", { overlap: "1h" });
   * @throws OrielInvalidRequestError `resource_missing`
   */
  rotateSecret(id: string, params?: RotateSecret, options?: WriteOptions): Promise<CreatedWebhookEndpoint>;

  /**
   * Sends the endpoint an event of type `ping`, whatever types it asked for, to see whether it is there and verifies.
   * What came of it is among its deliveries.
   *
   * @example
   * const { id } = await oriel.webhookEndpoints.ping("we_01j9x"); const { data } = await
   * oriel.webhookEndpoints.listDeliveries("we_01j9x", { event_id: id });
   * @throws OrielInvalidRequestError `resource_missing`, `webhook_endpoint_disabled`
   */
  ping(id: string, options?: WriteOptions): Promise<Event>;

  /**
   * One page of an endpoint's deliveries, newest first, each with its last try. Times are in unix seconds, durations in
   * milliseconds.
   *
   * @example const { data } = await oriel.webhookEndpoints.listDeliveries("we_01j9x", { status: "failed" });
   * @throws OrielInvalidRequestError `resource_missing`, or for a limit that is not 1 to 100
   */
  listDeliveries(id: string, params?: DeliveryListParams, options?: RequestOptions): Promise<List<Delivery>>;

  /**
   * Every delivery of an endpoint, newest first, asked for in pages of 100 as the loop goes on.
   *
   * @example
   * for await (const { event_id, last_try } of oriel.webhookEndpoints.listAllDeliveries("we_01j9x", { status: "failed"
   * })) {
   *   console.log(event_id, last_try?.failure, last_try?.response_status);
   * }
   * @throws what `listDeliveries` throws, in the middle of the loop
   */
  listAllDeliveries(
    id: string,
    params?: ListAllParams<DeliveryListParams>,
    options?: RequestOptions,
  ): AsyncIterable<Delivery>;

  /**
   * Sends the events of a time again, with the same ids and numbers: from `from` up to but not including `to`, in unix
   * seconds. By default only what the endpoint has not taken. `deliveries` says how many are on their way.
   *
   * @example
   * const anHourAgo = Math.floor(Date.now() / 1000) - 3600; const { deliveries } = await
   * oriel.webhookEndpoints.redeliver("we_01j9x", { from: anHourAgo });
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
    del: (id, options) => del(["webhook_endpoints", id], options),
    rotateSecret: (id, params = {}, options) => post(["webhook_endpoints", id, "rotate_secret"], params, options),
    ping: (id, options) => post(["webhook_endpoints", id, "ping"], {}, options),
    listDeliveries,
    listAllDeliveries: (id, params = {}, options) =>
      listAll<DeliveryListParams, Delivery>((page) => listDeliveries(id, page, options), params),
    redeliver: (id, params, options) => post(["webhook_endpoints", id, "redeliver"], params, options),
  };
  return Object.freeze(endpoint);
}
