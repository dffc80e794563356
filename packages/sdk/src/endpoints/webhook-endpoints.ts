/** Webhook endpoints: the addresses that events are delivered to. */
import type { CreateWebhookEndpoint, CreatedWebhookEndpoint, List, WebhookEndpoint } from "@oriel/protocol/api";
import type { ListParams, RequestOptions, WriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

export interface WebhookEndpoints {
  /**
   * Has events delivered to an address. `secret` is given here only: keep it for `webhooks.verify`. Make an endpoint when you set your
   * shop up, not each time your server starts.
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
}

export function webhookEndpoints({ get, post }: Sender): WebhookEndpoints {
  const list: WebhookEndpoints["list"] = (params = {}, options) => get(["webhook_endpoints"], params, options);
  const endpoint: WebhookEndpoints = {
    create: (params, options) => post(["webhook_endpoints"], params, options),
    retrieve: (id, options) => get(["webhook_endpoints", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
  };
  return Object.freeze(endpoint);
}
