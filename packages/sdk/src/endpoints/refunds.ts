/** Refunds: return a charge's money in full or in parts, up to the captured amount. */
import type { CreateRefund, List, Refund } from "@oriel/protocol/api";
import type { ListParams, RequestOptions, KeyedWriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** Filters refunds by charge. */
export interface RefundListParams extends ListParams {
  charge_id?: string;
}

export interface Refunds {
  /**
   * Refunds a charge: `amount` in the smallest unit of the charge's currency, or everything that is captured and not
   * yet refunded. Chargebacks don't lower that amount: if you refund a charge after a chargeback, the customer gets the
   * money twice. Check `disputes.list({ charge_id })` first.
   *
   * Requires an `idempotencyKey`. A charge can have several refunds, and only you know whether another is intended.
   *
   * @example
   * const refund = await oriel.refunds.create(
   *   { charge_id: charge.id, amount: 1000, reason: "one cup was broken" },
   *   { idempotencyKey: complaint.id },
   * );
   * @throws TypeError without an `idempotencyKey`; no request is sent
   * @throws OrielInvalidRequestError `charge_not_refundable`, `amount_too_large`, or `charge_operation_in_progress`:
   *   retry later
   * @throws OrielCardError if the refund is declined
   * @throws OrielApiError `payment_outcome_unknown`: don't create another refund; send the same request with the same
   *   key later
   */
  create(params: CreateRefund, options: KeyedWriteOptions): Promise<Refund>;

  /**
   * Retrieves a refund. `amount` is in the currency's smallest unit.
   *
   * @example const { status, failure } = await oriel.refunds.retrieve("re_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Refund>;

  /**
   * Returns one page of refunds, newest first.
   *
   * @example const { data } = await oriel.refunds.list({ charge_id: charge.id });
   * @throws OrielInvalidRequestError if the limit isn't 1 to 100
   */
  list(params?: RefundListParams, options?: RequestOptions): Promise<List<Refund>>;

  /**
   * Iterates over all refunds, newest first. Pages of 100 are fetched as needed.
   *
   * @example for await (const refund of oriel.refunds.listAll({ charge_id: charge.id })) console.log(refund.amount);
   * @throws the errors of `list`, during iteration
   */
  listAll(params?: ListAllParams<RefundListParams>, options?: RequestOptions): AsyncIterable<Refund>;
}

export function refunds({ get, post }: Sender): Refunds {
  const list: Refunds["list"] = (params = {}, options) => get(["refunds"], params, options);
  const endpoint: Refunds = {
    async create(params, options) {
      // The compiler doesn't check JavaScript callers.
      const { idempotencyKey } = (options as Partial<KeyedWriteOptions> | undefined) ?? {};
      if (idempotencyKey === undefined)
        throw new TypeError(
          "Oriel: refunds.create requires an idempotencyKey. Use a new key for each refund, and the same key to retry a refund.",
        );
      return await post(["refunds"], params, options);
    },
    retrieve: (id, options) => get(["refunds", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
  };
  return Object.freeze(endpoint);
}
