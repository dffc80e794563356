/**
 * What an order costs in a shop that offers shipping options and accepts promotion codes, and how the shop's server
 * replies to a code. Both `chaos.ts` and `simulate.ts` use it.
 */
import type { CheckoutSession, UpdateCheckoutSession } from "@oriel/protocol/api";

export interface Prices {
  /** The other option, pickup, is free. It's chosen at first. */
  postage: number;
  /** What each code takes off the items, if they cost as much. Some make the whole order free. */
  vouchers: ReadonlyMap<string, number | "all">;
}

export const shippingOptionIds = ["pickup", "post"] as const;
export const itemsFor = (amount: number) => [{ name: "Goods", amount, quantity: 1 }];

/** The parts of an order of items with this total. */
export function partsOf({ postage, vouchers }: Prices, items: number, code: string | null) {
  const voucher = code === null ? undefined : vouchers.get(code);
  const [pickup, post] = shippingOptionIds;
  return {
    line_items: itemsFor(items),
    shipping_options: [
      { id: pickup, name: "Pickup", amount: 0 },
      { id: post, name: "Post", amount: voucher === "all" ? 0 : postage },
    ],
    discounts:
      code === null || voucher === undefined ? [] : [{ name: code, amount: voucher === "all" ? items : voucher }],
  };
}

type Decided = Pick<CheckoutSession, "collected" | "line_items" | "version">;

/** The reply to a session's code. */
export function replyTo({ collected, line_items, version }: Decided, prices: Prices): UpdateCheckoutSession {
  const code = collected.promotion_code ?? "";
  const voucher = prices.vouchers.get(code);
  const items = line_items.reduce((sum, { amount, quantity }) => sum + amount * quantity, 0);
  if (voucher === undefined) return reject("invalid");
  if (voucher !== "all" && items < voucher) return reject("not_applicable");
  return { ...partsOf(prices, items, code), if_version: version };
}

function reject(reason: "invalid" | "not_applicable"): UpdateCheckoutSession {
  return { reject: { field: "promotion_code", reason } };
}

/** Whether the shop could have given this reply. */
export function isTrueReply({ vouchers }: Prices, code: string, status: string, reason: string | null): boolean {
  if (status === "pending") return true;
  return vouchers.has(code) ? reason !== "invalid" : status === "rejected";
}
