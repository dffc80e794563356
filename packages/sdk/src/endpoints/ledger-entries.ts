/** Ledger entries: the money of a charge that moved between you and the acquirer. */
import type { LedgerEntry, List } from "@oriel/protocol/api";
import type { RequestOptions } from "../client-options.ts";
import type { Sender } from "../send-request.ts";

export interface LedgerEntries {
  /**
   * Returns all ledger entries of a charge, oldest first. Amounts are in the currency's smallest unit, and positive if you
   * receive the money.
   *
   * @example const { data } = await oriel.ledgerEntries.list({ charge_id: charge.id });
   * @throws OrielInvalidRequestError `resource_missing` if there's no such charge
   */
  list(params: { charge_id: string }, options?: RequestOptions): Promise<List<LedgerEntry>>;
}

export function ledgerEntries({ get }: Sender): LedgerEntries {
  const endpoint: LedgerEntries = { list: (params, options) => get(["ledger_entries"], params, options) };
  return Object.freeze(endpoint);
}
