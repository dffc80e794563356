/** Payment methods: cards that customers have used, without their numbers. */
import type { PaymentMethod } from "@oriel/protocol/api";
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
   * Deletes a saved card. It's no longer `reusable`, and this can't be undone.
   *
   * @example await oriel.paymentMethods.detach("pm_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  detach(id: string, options?: WriteOptions): Promise<PaymentMethod>;
}

export function paymentMethods({ get, post }: Sender): PaymentMethods {
  const endpoint: PaymentMethods = {
    retrieve: (id, options) => get(["payment_methods", id], {}, options),
    detach: (id, options) => post(["payment_methods", id, "detach"], {}, options),
  };
  return Object.freeze(endpoint);
}
