/** Charges: each is one attempt to charge a payment method. */
import type { CaptureCharge, Charge, CreateCharge, List } from "@oriel/protocol/api";
import type { ListParams, RequestOptions, WriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** Filters charges by decision or session. */
export interface ChargeListParams extends ListParams {
  decision_id?: string;
  session_id?: string;
}

export interface Charges {
  /**
   * Charges the payment method of a decision. Each decision allows one charge. `amount` is in the currency's smallest
   * unit and can't exceed the decision's amount. Waits for the acquirer for up to 10 s.
   *
   * Pass your own `idempotencyKey`, so that your process can find an existing charge after a restart.
   *
   * @example
   * const charge = await oriel.charges.create(
   *   {
   *     amount: 4900,
   *     currency: "eur",
   *     payment_method_id: session.payment_method_id,
   *     decision_id: session.decision_id,
   *   },
   *   { idempotencyKey: order.id },
   * );
   * @throws OrielCardError if the charge is declined; see its `advice`
   * @throws OrielInvalidRequestError `decision_mismatch`, `decision_already_consumed`, `decision_expired`,
   *   `decision_not_approved`
   * @throws OrielApiError `payment_outcome_unknown`: don't create another charge; send the same request with the same
   *   key later
   */
  create(params: CreateCharge, options?: WriteOptions): Promise<Charge>;

  /**
   * Retrieves a charge. Amounts are in the currency's smallest unit.
   *
   * @example const { status, amount_refunded } = await oriel.charges.retrieve("ch_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Charge>;

  /**
   * Returns one page of charges, newest first.
   *
   * @example const { data } = await oriel.charges.list({ session_id: session.id });
   * @throws OrielInvalidRequestError if the limit isn't 1 to 100
   */
  list(params?: ChargeListParams, options?: RequestOptions): Promise<List<Charge>>;

  /**
   * Iterates over all charges, newest first. Pages of 100 are fetched as needed.
   *
   * @example
   * for await (const charge of oriel.charges.listAll({ session_id: session.id })) console.log(charge.id, charge.amount);
   * @throws the errors of `list`, during iteration
   */
  listAll(params?: ListAllParams<ChargeListParams>, options?: RequestOptions): AsyncIterable<Charge>;

  /**
   * Captures an `authorized` charge: all of it, or `amount` in the currency's smallest unit. The rest is released.
   *
   * @example await oriel.charges.capture(charge.id, { amount: 3000 }, { idempotencyKey: `${order.id}-capture` });
   * @throws OrielInvalidRequestError `charge_not_capturable`, `amount_too_large`, or `charge_operation_in_progress`:
   *   retry later
   * @throws OrielCardError if the capture is declined
   * @throws OrielApiError `payment_outcome_unknown`: send the same request with the same key later
   */
  capture(id: string, params?: CaptureCharge, options?: WriteOptions): Promise<Charge>;

  /**
   * Cancels an `authorized` charge and releases the reserved money. To return captured money, use `refunds.create`.
   *
   * You can also cancel a `processing` charge. Oriel then stops requesting the money from the acquirer and returns the
   * charge in its current state. If the acquirer never received the request, the charge becomes `failed`
   * (`payment_failed`). Otherwise the acquirer's outcome applies.
   *
   * @example await oriel.charges.cancel(charge.id);
   * @throws OrielInvalidRequestError `charge_not_cancelable`, or `charge_operation_in_progress`: retry later
   * @throws OrielApiError `payment_outcome_unknown`: send the same request with the same key later
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
