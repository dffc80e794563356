/**
 * Checkout sessions: one payment, or one card to save, that a customer is to complete in the frame or on the full page.
 */
import type {
  CheckoutSession,
  CreateCheckoutSession as CreateCheckoutSessionBody,
  CreatedCheckoutSession,
  List,
} from "@oriel/protocol/api";
import type { ListParams, RequestOptions, WriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** What a session is made from. A payment has an amount, in the currency's smallest unit, and its currency. */
export type CreateCheckoutSession = CreateCheckoutSessionBody &
  ({ mode?: "payment"; amount: number; currency: string } | { mode: "setup" });

export interface CheckoutSessions {
  /**
   * Opens a session. `embed_url` is given here only: hand it to the loader, or send the customer there. `amount` is in
   * the currency's smallest unit (4900 `eur` is 49.00 EUR, 4900 `jpy` is 4,900 JPY), `expires_after_minutes` 5 to 1440.
   * With `submit_button: "merchant"` the host page may press Pay itself.
   *
   * @example
   * const { session, embed_url } = await oriel.checkoutSessions.create(
   *   { amount: 4900, currency: "eur", return_url: "https://shop.example/thanks", metadata: { order_id: order.id } },
   *   { idempotencyKey: order.id },
   * );
   * @throws OrielInvalidRequestError for a field that is wrong (`param` names it), among them `amount_invalid`,
   *   `currency_unknown`, `origin_not_allowed` and `url_not_allowed`
   */
  create(params: CreateCheckoutSession, options?: WriteOptions): Promise<CreatedCheckoutSession>;

  /**
   * One session, without its `embed_url`. `amount` and `currency` are null where a card is saved and nothing is
   * charged.
   *
   * @example const paid = (await oriel.checkoutSessions.retrieve("cs_01j9x")).payment_status === "paid";
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<CheckoutSession>;

  /**
   * One page of sessions, newest first.
   *
   * @example const { data, has_more } = await oriel.checkoutSessions.list({ limit: 20 });
   * @throws OrielInvalidRequestError for a limit that is not 1 to 100
   */
  list(params?: ListParams, options?: RequestOptions): Promise<List<CheckoutSession>>;

  /**
   * Every session, newest first, asked for in pages of 100 as the loop goes on.
   *
   * @example for await (const session of oriel.checkoutSessions.listAll()) console.log(session.id, session.status);
   * @throws what `list` throws, in the middle of the loop
   */
  listAll(params?: ListAllParams, options?: RequestOptions): AsyncIterable<CheckoutSession>;

  /**
   * Ends an open session now, as its time would: it becomes `expired`, and its event says so.
   *
   * @example await oriel.checkoutSessions.expire(session.id);
   * @throws OrielInvalidRequestError `session_closed`, or `session_payment_in_progress` while a payment is under way:
   *   ask again later
   */
  expire(id: string, options?: WriteOptions): Promise<CheckoutSession>;

  /**
   * Withdraws an open session: it becomes `canceled`.
   *
   * @example await oriel.checkoutSessions.cancel(session.id);
   * @throws OrielInvalidRequestError `session_closed`, or `session_payment_in_progress` while a payment is under way:
   *   ask again later
   */
  cancel(id: string, options?: WriteOptions): Promise<CheckoutSession>;
}

export function checkoutSessions({ get, post }: Sender): CheckoutSessions {
  const list: CheckoutSessions["list"] = (params = {}, options) => get(["checkout_sessions"], params, options);
  const endpoint: CheckoutSessions = {
    create: (params, options) => post(["checkout_sessions"], params, options),
    retrieve: (id, options) => get(["checkout_sessions", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
    expire: (id, options) => post(["checkout_sessions", id, "expire"], {}, options),
    cancel: (id, options) => post(["checkout_sessions", id, "cancel"], {}, options),
  };
  return Object.freeze(endpoint);
}
