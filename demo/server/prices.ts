/**
 * What an order costs: the cup, the shipping that the customer chooses, and a voucher. No page and no customer can
 * change these prices. Amounts are in cents.
 */
import type { CheckoutSession } from "@oriel/sdk";

/** The shop's only product. */
export const product = {
  name: "The Oriel cup",
  description: "The Oriel cup, 240 ml, celadon",
  amount: 4900,
  currency: "eur",
} as const;

/** The first one applies until the customer chooses another. */
const shippingOptions = [
  { id: "standard", name: "Standard, 3 to 5 days", amount: 0 },
  { id: "express", name: "Express, next day", amount: 990 },
];

interface Voucher {
  readonly code: string;
  readonly amount: number;
  readonly includesShipping?: true;
  readonly validUntil?: Date;
}

const vouchers: readonly Voucher[] = [
  { code: "KILN5", amount: 500 },
  { code: "FREECUP", amount: product.amount, includesShipping: true },
  { code: "SPRING", amount: 500, validUntil: new Date("2025-06-01") },
];

/** What an order costs in the end, and why. */
export interface Bill {
  readonly shipping: { readonly name: string; readonly amount: number };
  readonly discount: { readonly name: string; readonly amount: number } | null;
  readonly total: number;
}

/**
 * The parts of a session's amount. The discount never depends on the shipping that is chosen, because the customer may
 * choose again. A voucher that includes shipping makes every option free instead.
 */
export function priceParts(voucher: Voucher | null) {
  return {
    line_items: [{ name: product.name, amount: product.amount, quantity: 1 }],
    shipping_options: shippingOptions.map((option) => (voucher?.includesShipping ? { ...option, amount: 0 } : option)),
    discounts: voucher === null ? [] : [{ name: voucher.code, amount: voucher.amount }],
  };
}

/** Accepts or rejects a promotion code that the customer has entered. The result is what to change in the session. */
export function decideOnCode(code: string, now: Date) {
  const voucher = vouchers.find((candidate) => candidate.code === code.toUpperCase());
  if (voucher === undefined) return { reject: { field: "promotion_code", reason: "invalid" } } as const;
  if (voucher.validUntil !== undefined && voucher.validUntil < now)
    return { reject: { field: "promotion_code", reason: "expired" } } as const;
  return priceParts(voucher);
}

/** The bill for what a session says was chosen. Null if the shop doesn't offer that. */
export function billFor(session: Pick<CheckoutSession, "shipping_option" | "discounts">): Bill | null {
  const applied = session.discounts[0]?.name;
  const voucher = applied === undefined ? null : vouchers.find(({ code }) => code === applied);
  if (voucher === undefined) return null;
  const parts = priceParts(voucher);
  const shipping = parts.shipping_options.find(({ id }) => id === session.shipping_option);
  if (shipping === undefined) return null;
  const discount = parts.discounts[0] ?? null;
  return { shipping, discount, total: product.amount + shipping.amount - (discount?.amount ?? 0) };
}

const euros = new Intl.NumberFormat("en", { style: "currency", currency: product.currency });

/** An amount as customers read it, for example €49.00. */
export function formatAmount(amount: number): string {
  return euros.format(amount / 100);
}
