/** Decisions: each is the verdict that lets one charge happen, for fifteen minutes. */
import type { CreateDecision, Decision } from "@oriel/protocol/api";
import type { RequestOptions, WriteOptions } from "../client-options.ts";
import type { Sender } from "../send-request.ts";

export interface Decisions {
  /**
   * Asks whether a saved payment method may be charged while the customer is absent. `amount` is in the currency's
   * smallest unit, the most that the charge may have. A decision that is `declined` is an answer, not an error: see its
   * `status`. With `requires_action` the customer is needed: open a checkout session.
   *
   * @example
   * const decision = await oriel.decisions.create({ payment_method_id: "pm_01j9x", amount: 4900, currency: "eur" }); if
   * (decision.status === "approved") await charge(decision.id);
   * @throws OrielInvalidRequestError `payment_method_not_reusable` for a card that was not saved, `resource_missing`
   */
  create(params: CreateDecision, options?: WriteOptions): Promise<Decision>;

  /**
   * One decision. `amount` is in the currency's smallest unit, 0 where a card is saved and nothing is charged.
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
