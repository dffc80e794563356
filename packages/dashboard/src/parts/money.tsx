/** Formats an amount in the currency's smallest unit with the currency's ISO 4217 decimals. */
import { formatAmount } from "@oriel/protocol/currency";

export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span style={{ fontVariantNumeric: "tabular-nums" }}>{money(amount, currency)}</span>;
}

export function money(amount: number, currency: string): string {
  return formatAmount(amount, currency, "en");
}
