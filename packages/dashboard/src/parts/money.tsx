/** An amount with its currency: integers in the smallest unit, with the decimals that ISO 4217 gives the currency. */
import { formatAmount } from "@oriel/protocol/currency";

export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span style={{ fontVariantNumeric: "tabular-nums" }}>{money(amount, currency)}</span>;
}

export function money(amount: number, currency: string): string {
  return formatAmount(amount, currency, "en");
}
