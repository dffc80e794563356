/** Payment methods: cards that customers have used, without their numbers. */
import type { AttachPaymentMethod, PaymentMethod, UpdatePaymentMethod } from "@oriel/protocol/api";
import type { RequestOptions, WriteOptions } from "../client-options.ts";
import type { Sender } from "../send-request.ts";

export interface PaymentMethods {
  /**
   * Retrieves a payment method: brand, last four digits, expiry. It never includes the number.
   *
   * @example const { brand, last4, reusable } = await oriel.paymentMethods.retrieve(charge.payment_method_id);
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<PaymentMethod>;

  /**
   * Changes the fields that you send.
   *
   * @example await oriel.paymentMethods.update("pm_01j9x", { removable_by_customer: false });
   * @throws OrielInvalidRequestError `resource_missing`
   */
  update(id: string, params: UpdatePaymentMethod, options?: RequestOptions): Promise<PaymentMethod>;

  /**
   * Gives a saved card to a customer. It can't move to another customer later.
   *
   * @example await oriel.paymentMethods.attach("pm_01j9x", { customer_id: customer.id });
   * @throws OrielInvalidRequestError `resource_missing`, `payment_method_not_reusable` if the card wasn't saved, or
   *   `parameter_invalid` if it belongs to another customer
   */
  attach(id: string, params: AttachPaymentMethod, options?: WriteOptions): Promise<PaymentMethod>;

  /**
   * Deletes a saved card. It's no longer `reusable`, and this can't be undone.
   *
   * @example await oriel.paymentMethods.detach("pm_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  detach(id: string, options?: WriteOptions): Promise<PaymentMethod>;
}

export function paymentMethods({ get, post, patch }: Sender): PaymentMethods {
  const endpoint: PaymentMethods = {
    retrieve: (id, options) => get(["payment_methods", id], {}, options),
    update: (id, params, options) => patch(["payment_methods", id], params, options),
    attach: (id, params, options) => post(["payment_methods", id, "attach"], params, options),
    detach: (id, options) => post(["payment_methods", id, "detach"], {}, options),
  };
  return Object.freeze(endpoint);
}
