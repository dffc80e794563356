/** Refunds: money of a charge that is given back, in one piece or in several, never more than was captured. */
import type { CreateRefund, List, Refund } from "@oriel/protocol/api";
import type { ListParams, RequestOptions, KeyedWriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** Which refunds: those of one charge. */
export interface RefundListParams extends ListParams {
  charge_id?: string;
}

export interface Refunds {
  /**
   * Gives money back: `amount`, in the smallest unit of the charge's currency, or all that was captured and not
   * refunded yet.
   *
   * It takes an `idempotencyKey` of your own: two refunds of one charge are two refunds, and only you know whether a
   * second one is meant.
   *
   * @example
   * const refund = await oriel.refunds.create(
   *   { charge_id: charge.id, amount: 1000, reason: "one cup was broken" },
   *   { idempotencyKey: complaint.id },
   * );
   * @throws TypeError without an `idempotencyKey`; nothing was sent
   * @throws OrielInvalidRequestError `charge_not_refundable`, `amount_too_large`, or `charge_operation_in_progress`:
   *   ask again later
   * @throws OrielCardError when the bank does not take the money back
   * @throws OrielApiError `payment_outcome_unknown`: do not refund anew; send the same under the same key later
   */
  create(params: CreateRefund, options: KeyedWriteOptions): Promise<Refund>;

  /**
   * One refund. `amount` is in the currency's smallest unit.
   *
   * @example const { status, failure } = await oriel.refunds.retrieve("re_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Refund>;

  /**
   * One page of refunds, newest first.
   *
   * @example const { data } = await oriel.refunds.list({ charge_id: charge.id });
   * @throws OrielInvalidRequestError for a limit that is not 1 to 100
   */
  list(params?: RefundListParams, options?: RequestOptions): Promise<List<Refund>>;

  /**
   * Every refund, newest first, asked for in pages of 100 as the loop goes on.
   *
   * @example for await (const refund of oriel.refunds.listAll({ charge_id: charge.id })) console.log(refund.amount);
   * @throws what `list` throws, in the middle of the loop
   */
  listAll(params?: ListAllParams<RefundListParams>, options?: RequestOptions): AsyncIterable<Refund>;
}

export function refunds({ get, post }: Sender): Refunds {
  const list: Refunds["list"] = (params = {}, options) => get(["refunds"], params, options);
  const endpoint: Refunds = {
    async create(params, options) {
      // In JavaScript nobody has checked that.
      const { idempotencyKey } = (options as Partial<KeyedWriteOptions> | undefined) ?? {};
      if (idempotencyKey === undefined)
        throw new TypeError("Oriel: refunds.create needs an idempotencyKey, one for each refund you mean.");
      return await post(["refunds"], params, options);
    },
    retrieve: (id, options) => get(["refunds", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
  };
  return Object.freeze(endpoint);
}
