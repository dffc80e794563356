/** Says in one line how much of a payment's amount was captured and refunded. */
import type { Charge } from "@oriel/protocol/api";
import { formatAmount } from "@oriel/protocol/currency";

export type ChargeAmounts = Pick<Charge, "status" | "amount" | "amount_captured" | "amount_refunded" | "currency">;

/** @example "€24.50 of €49.00 captured, €10.00 refunded" */
export function amountLine(charge: ChargeAmounts): string {
  const { status, amount, amount_captured, amount_refunded, currency } = charge;
  const money = (minor: number) => formatAmount(minor, currency, "en");
  const whole = money(amount);
  switch (status) {
    case "processing":
      return `${whole}, outcome unknown`;
    case "failed":
      return `${whole} not charged`;
    case "canceled":
      return `${whole} released, not charged`;
    case "authorized":
      return `${whole} authorized, not captured yet`;
    case "succeeded": {
      const captured = amount_captured === amount ? whole : `${money(amount_captured)} of ${whole}`;
      const refunded = amount_refunded === 0 ? "" : `, ${money(amount_refunded)} refunded`;
      return `${captured} captured${refunded}`;
    }
  }
}

/** What the merchant keeps: captured minus refunded. */
export function netAmount({ amount_captured, amount_refunded }: ChargeAmounts): number {
  return amount_captured - amount_refunded;
}

/** @example "3 payments, 2 successful: €98.00 captured, €24.50 refunded, €73.50 net" */
export function totalLine(charges: readonly ChargeAmounts[]): string {
  const currencies = [...new Set(charges.map(({ currency }) => currency))];
  const totals = currencies.map((currency) => {
    const own = charges.filter((charge) => charge.currency === currency);
    const sum = (read: (charge: ChargeAmounts) => number) =>
      formatAmount(own.reduce((total, charge) => total + read(charge), 0), currency, "en"); // prettier-ignore
    const captured = `${sum((charge) => charge.amount_captured)} captured`;
    if (own.every((charge) => charge.amount_refunded === 0)) return captured;
    return `${captured}, ${sum((charge) => charge.amount_refunded)} refunded, ${sum(netAmount)} net`;
  });
  const paid = charges.filter(({ amount_captured }) => amount_captured > 0).length;
  const count = charges.length === 1 ? "1 payment" : `${charges.length} payments`;
  return `${count}${paid < charges.length ? `, ${paid} successful` : ""}: ${totals.join("; ")}`;
}
