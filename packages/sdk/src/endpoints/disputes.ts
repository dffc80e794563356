/** Disputes: a customer's complaint about a charge at the issuer of the card, and the chargeback that may follow. */
import type { Dispute, List } from "@oriel/protocol/api";
import type { ListParams, RequestOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** Filters disputes by charge or status. */
export interface DisputeListParams extends ListParams {
  charge_id?: string;
  status?: Dispute["status"];
}

export interface Disputes {
  /**
   * Retrieves a dispute. `amount` is in the smallest unit of the dispute's `currency`, which can differ from the charge's.
   *
   * @example const { status, respond_by } = await oriel.disputes.retrieve("dp_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Dispute>;

  /**
   * Returns one page of disputes, newest first.
   *
   * @example const { data } = await oriel.disputes.list({ status: "needs_response" });
   * @throws OrielInvalidRequestError if the limit isn't 1 to 100
   */
  list(params?: DisputeListParams, options?: RequestOptions): Promise<List<Dispute>>;

  /**
   * Iterates over all disputes, newest first. Pages of 100 are fetched as needed.
   *
   * @example for await (const dispute of oriel.disputes.listAll({ charge_id: charge.id })) console.log(dispute.status);
   * @throws the errors of `list`, during iteration
   */
  listAll(params?: ListAllParams<DisputeListParams>, options?: RequestOptions): AsyncIterable<Dispute>;
}

export function disputes({ get }: Sender): Disputes {
  const list: Disputes["list"] = (params = {}, options) => get(["disputes"], params, options);
  const endpoint: Disputes = {
    retrieve: (id, options) => get(["disputes", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
  };
  return Object.freeze(endpoint);
}
