/** Checkout sessions: a payment to make, or a card to save, in the iframe or on the hosted page. */
import type {
  CheckoutSession,
  CreateCheckoutSession as CreateCheckoutSessionBody,
  CreatedCheckoutSession,
  List,
  UpdateCheckoutSession,
} from "@oriel/protocol/api";
import type { ListParams, RequestOptions, WriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** Parameters of a session. A payment needs a currency, and an amount in the currency's smallest unit. */
export type CreateCheckoutSession = CreateCheckoutSessionBody &
  ({ mode?: "payment"; amount: number; currency: string } | { mode: "setup" });

export interface CheckoutSessions {
  /**
   * Creates a session. Pass `embed_url` to the loader, or redirect the customer to it. You can't retrieve it later, but
   * you can replace it with {@link replaceEmbedUrl}. `amount` is in the currency's smallest unit: 4900 is €49.00 for
   * `eur` and ¥4,900 for `jpy`. With 0, the customer pays nothing. `expires_after_minutes` is 5 to 1440. With
   * `submit_button: "merchant"`, the host page can submit the form.
   *
   * @example
   * const { session, embed_url } = await oriel.checkoutSessions.create(
   *   { amount: 4900, currency: "eur", return_url: "https://shop.example/thanks", metadata: { order_id: order.id } },
   *   { idempotencyKey: order.id },
   * );
   * @throws OrielInvalidRequestError for an invalid field (named by `param`), with codes such as `amount_invalid`,
   *   `currency_unknown`, `origin_not_allowed` and `url_not_allowed`
   */
  create(params: CreateCheckoutSession, options?: WriteOptions): Promise<CreatedCheckoutSession>;

  /**
   * Retrieves a session without its `embed_url`. `amount` and `currency` are null in setup mode. With a total of 0,
   * `payment_status` is `no_payment_required`, even before the customer has completed the session.
   *
   * @example const paid = (await oriel.checkoutSessions.retrieve("cs_01j9x")).payment_status === "paid";
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<CheckoutSession>;

  /**
   * Returns one page of sessions, newest first.
   *
   * @example const { data, has_more } = await oriel.checkoutSessions.list({ limit: 20 });
   * @throws OrielInvalidRequestError if the limit isn't 1 to 100
   */
  list(params?: ListParams, options?: RequestOptions): Promise<List<CheckoutSession>>;

  /**
   * Iterates over all sessions, newest first. Pages of 100 are fetched as needed.
   *
   * @example for await (const session of oriel.checkoutSessions.listAll()) console.log(session.id, session.status);
   * @throws the errors of `list`, during iteration
   */
  listAll(params?: ListAllParams, options?: RequestOptions): AsyncIterable<CheckoutSession>;

  /**
   * Changes an open session without a payment in progress. Fields that you leave out keep their values. If the amount
   * or one of its parts changes, `version` increases, and a customer who saw the earlier total must press Pay
   * again. Without `amount`, the total is what the line items and the other parts add up to. A lost response makes the
   * client repeat the request, so send `if_version` if changes can overlap.
   *
   * If the customer has entered a promotion code (`collected.promotion_code`), reply with the code as
   * `if_promotion_code`: with `amount` or one of its parts to accept it, or with `reject`. Changes without
   * `if_promotion_code` leave it pending.
   *
   * @example
   * await oriel.checkoutSessions.update(session.id, {
   *   line_items: [{ name: "Cup", amount: 4900, quantity: 1 }],
   *   discounts: [{ name: "SPRING", amount: 500 }],
   * });
   * @throws OrielInvalidRequestError `session_closed`, `session_payment_in_progress`, `session_version_mismatch` if the
   *   session isn't at `if_version`, `promotion_code_mismatch` if the customer has entered a different code since,
   *   `session_changed_too_often` after 100 of your changes, or for an invalid field
   */
  update(id: string, params: UpdateCheckoutSession, options?: RequestOptions): Promise<CheckoutSession>;

  /**
   * Returns a new `embed_url` for a session that is open or complete, so that you don't have to store the first one.
   * The old URL stops working: a page that was opened with it can follow a payment in progress, but it can't start one.
   *
   * @example const { embed_url } = await oriel.checkoutSessions.replaceEmbedUrl(session.id);
   * @throws OrielInvalidRequestError `session_closed`
   */
  replaceEmbedUrl(id: string, options?: WriteOptions): Promise<CreatedCheckoutSession>;

  /**
   * Expires an open session now. It becomes `expired` and sends `checkout_session.expired`.
   *
   * @example await oriel.checkoutSessions.expire(session.id);
   * @throws OrielInvalidRequestError `session_closed`, or `session_payment_in_progress` during a payment: retry later
   */
  expire(id: string, options?: WriteOptions): Promise<CheckoutSession>;

  /**
   * Cancels an open session. It becomes `canceled`.
   *
   * @example await oriel.checkoutSessions.cancel(session.id);
   * @throws OrielInvalidRequestError `session_closed`, or `session_payment_in_progress` during a payment: retry later
   */
  cancel(id: string, options?: WriteOptions): Promise<CheckoutSession>;
}

export function checkoutSessions({ get, post, patch }: Sender): CheckoutSessions {
  const list: CheckoutSessions["list"] = (params = {}, options) => get(["checkout_sessions"], params, options);
  const endpoint: CheckoutSessions = {
    create: (params, options) => post(["checkout_sessions"], params, options),
    retrieve: (id, options) => get(["checkout_sessions", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
    update: (id, params, options) => patch(["checkout_sessions", id], params, options),
    replaceEmbedUrl: (id, options) => post(["checkout_sessions", id, "embed_url"], {}, options),
    expire: (id, options) => post(["checkout_sessions", id, "expire"], {}, options),
    cancel: (id, options) => post(["checkout_sessions", id, "cancel"], {}, options),
  };
  return Object.freeze(endpoint);
}
