/** Decisions: each allows or declines one charge, and is valid for fifteen minutes. */
import type { CreateDecision, Decision } from "@oriel/protocol/api";
import type { RequestOptions, WriteOptions } from "../client-options.ts";
import type { Sender } from "../send-request.ts";

export interface Decisions {
  /**
   * Decides whether a saved payment method may be charged while the customer is absent. `amount` is in the currency's
   * smallest unit and is the maximum for the charge. A `declined` decision isn't an error, so check `status`.
   * If it's `requires_action`, the customer is needed: create a checkout session.
   *
   * @example
   * const decision = await oriel.decisions.create({ payment_method_id: "pm_01j9x", amount: 4900, currency: "eur" });
   * if (decision.status === "approved") await charge(decision.id);
   * @throws OrielInvalidRequestError `payment_method_not_reusable` if the card wasn't saved, `resource_missing`
   */
  create(params: CreateDecision, options?: WriteOptions): Promise<Decision>;

  /**
   * Retrieves a decision. `amount` is in the currency's smallest unit, or 0 if the card is only saved.
   *
   * @example const { risk, three_d_secure } = await oriel.decisions.retrieve(charge.decision_id);
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Decision>;
}

export function decisions({ get, post }: Sender): Decisions {
  const endpoint: Decisions = {
    create: (params, options) => post(["decisions"], params, options),
    retrieve: (id, options) => get(["decisions", id], {}, options),
  };
  return Object.freeze(endpoint);
}
