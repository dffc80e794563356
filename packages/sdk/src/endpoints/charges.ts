/** Charges: each is one try to pay, and what became of its money. */
import type { CaptureCharge, Charge, CreateCharge, List } from "@oriel/protocol/api";
import type { ListParams, RequestOptions, WriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** Which charges: those of one decision, or of one session. */
export interface ChargeListParams extends ListParams {
  decision_id?: string;
  session_id?: string;
}

export interface Charges {
  /**
   * Charges the payment method that a decision was made for, once per decision. `amount` is in the currency's smallest
   * unit and at most the decision's. Waits for the bank, up to 10 s.
   *
   * Give an `idempotencyKey` of your own, so that your process, started again, finds the charge it made before instead
   * of making another.
   *
   * @example
   * const charge = await oriel.charges.create(
   *   { amount: 4900, currency: "eur", payment_method_id: session.payment_method_id, decision_id: session.decision_id },
   *   { idempotencyKey: order.id },
   * );
   * @throws OrielCardError when the bank says no: see its `advice`
   * @throws OrielInvalidRequestError `decision_mismatch`, `decision_already_consumed`, `decision_expired`,
   *   `decision_not_approved`
   * @throws OrielApiError `payment_outcome_unknown`: the bank has not said yet. Do not charge anew; send the same under
   *   the same key later
   */
  create(params: CreateCharge, options?: WriteOptions): Promise<Charge>;

  /**
   * One charge. Amounts are in the currency's smallest unit.
   *
   * @example const { status, amount_refunded } = await oriel.charges.retrieve("ch_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Charge>;

  /**
   * One page of charges, newest first.
   *
   * @example const { data } = await oriel.charges.list({ session_id: session.id });
   * @throws OrielInvalidRequestError for a limit that is not 1 to 100
   */
  list(params?: ChargeListParams, options?: RequestOptions): Promise<List<Charge>>;

  /**
   * Every charge, newest first, asked for in pages of 100 as the loop goes on.
   *
   * @example for await (const charge of oriel.charges.listAll({ session_id: session.id })) console.log(charge.id, charge.amount);
   * @throws what `list` throws, in the middle of the loop
   */
  listAll(params?: ListAllParams<ChargeListParams>, options?: RequestOptions): AsyncIterable<Charge>;

  /**
   * Takes the money that an `authorized` charge reserved: all of it, or `amount`, in the currency's smallest unit, and
   * lets the rest go.
   *
   * @example await oriel.charges.capture(charge.id, { amount: 3000 }, { idempotencyKey: `${order.id}-capture` });
   * @throws OrielInvalidRequestError `charge_not_capturable`, `amount_too_large`, or `charge_operation_in_progress`:
   *   ask again later
   * @throws OrielCardError when the bank no longer gives the money
   * @throws OrielApiError `payment_outcome_unknown`: send the same under the same key later
   */
  capture(id: string, params?: CaptureCharge, options?: WriteOptions): Promise<Charge>;

  /**
   * Lets go of the money that an `authorized` charge reserved. What was captured is given back with `refunds.create`
   * instead.
   *
   * A charge that is still `processing` is withdrawn: the bank is not asked for the money any more, and the answer is
   * the charge as it is. If the bank never heard of it, the charge becomes `failed` (`payment_failed`); if it did, the
   * charge becomes what the bank says.
   *
   * @example await oriel.charges.cancel(charge.id);
   * @throws OrielInvalidRequestError `charge_not_cancelable`, or `charge_operation_in_progress`: ask again later
   * @throws OrielApiError `payment_outcome_unknown`: send the same under the same key later
   */
  cancel(id: string, options?: WriteOptions): Promise<Charge>;
}

export function charges({ get, post }: Sender): Charges {
  const list: Charges["list"] = (params = {}, options) => get(["charges"], params, options);
  const endpoint: Charges = {
    create: (params, options) => post(["charges"], params, options),
    retrieve: (id, options) => get(["charges", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
    capture: (id, params = {}, options) => post(["charges", id, "capture"], params, options),
    cancel: (id, options) => post(["charges", id, "cancel"], {}, options),
  };
  return Object.freeze(endpoint);
}
