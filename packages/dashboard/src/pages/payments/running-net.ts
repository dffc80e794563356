/** Adds up a payment's ledger, separately for each currency, because chargebacks can have another one. */
import type { LedgerEntry } from "@oriel/protocol/api";

export interface EntryWithNet extends LedgerEntry {
  /** The sum of this entry and all earlier ones in its currency. It can be negative. */
  net: number;
}

/**
 * What remains of all entries, in each currency.
 *
 * @param currency the payment's currency. It comes first, even without entries.
 */
export function netsOf(entries: readonly LedgerEntry[], currency: string): { currency: string; amount: number }[] {
  const nets = new Map([[currency, 0]]);
  for (const entry of entries) nets.set(entry.currency, (nets.get(entry.currency) ?? 0) + entry.amount);
  return [...nets].map(([currency, amount]) => ({ currency, amount }));
}

/** @param entries oldest first */
export function withRunningNet(entries: readonly LedgerEntry[]): EntryWithNet[] {
  const nets = new Map<string, number>();
  return entries.map((entry) => {
    const net = (nets.get(entry.currency) ?? 0) + entry.amount;
    nets.set(entry.currency, net);
    return { ...entry, net };
  });
}
