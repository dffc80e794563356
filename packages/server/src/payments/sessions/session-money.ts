/** The amount of a session and its parts: line items, the chosen shipping option, discounts and tax. */
import type { CheckoutSession } from "@oriel/protocol/api";
import { formatAmount, maxAmountMinor } from "@oriel/protocol/currency";
import { ApiError } from "../../platform/errors.ts";

/** What the amount consists of. Without line items there are no parts, only an amount. */
export type Parts = Pick<
  CheckoutSession,
  "line_items" | "shipping_options" | "shipping_option" | "discounts" | "tax_amount"
>;

/** What a session costs. Each change of it makes a new version. */
export interface Money extends Parts {
  amount: number;
}

/** Fields that a session of mode `setup` can't have. */
export const onlyInPayment = [
  "capture_method",
  "line_items",
  "shipping_options",
  "shipping_option",
  "discounts",
  "tax_amount",
  "save_payment_method",
] as const;

/** What the parts add up to, in the currency's smallest unit. It may be negative. */
export function totalOf({ line_items, shipping_options, shipping_option, discounts, tax_amount }: Parts): number {
  const shipping = shipping_options.find(({ id }) => id === shipping_option)?.amount ?? 0;
  const items = line_items.reduce((sum, item) => sum + item.amount * item.quantity, 0);
  const less = discounts.reduce((sum, discount) => sum + discount.amount, 0);
  return items + shipping + (tax_amount ?? 0) - less;
}

/**
 * Checks that the parts belong together and add up to the amount.
 *
 * @throws ApiError `parameter_missing`, `parameter_invalid` or `amount_invalid`
 */
export function requireParts({ amount, ...parts }: Money, currency: string): void {
  const { line_items, shipping_options, shipping_option, discounts, tax_amount } = parts;
  const ids = shipping_options.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw invalid("shipping_options", `Two shipping options have the ID \`${repeated}\`.`);
  if (shipping_option !== null && !ids.includes(shipping_option))
    throw invalid("shipping_option", `\`shipping_options\` has no option with the ID \`${shipping_option}\`.`);
  if (line_items.length === 0) {
    if (ids.length === 0 && discounts.length === 0 && tax_amount === null) return;
    throw new ApiError(
      "parameter_missing",
      "Shipping options, discounts and tax require `line_items`. Together, they must add up to `amount`.",
      { param: "line_items" },
    );
  }
  const total = totalOf(parts);
  if (total === amount) return;
  throw invalid(
    "line_items",
    `${describeParts(parts)} add up to ${format(total)}, but \`amount\` is ${format(amount)}. The two amounts must be equal.`,
  );

  function format(value: number): string {
    return formatAmount(value, currency, "en");
  }
}

/** @throws ApiError `amount_invalid` if the parts add up to less than 0, or to more than the maximum */
export function requireTotal(amount: number, currency: string): void {
  if (amount >= 0 && amount <= maxAmountMinor) return;
  throw new ApiError(
    "amount_invalid",
    `The line items and the other parts add up to ${formatAmount(amount, currency, "en")}. The total must be at least ${formatAmount(0, currency, "en")} and at most ${formatAmount(maxAmountMinor, currency, "en")}.`,
    { param: "line_items" },
  );
}

/** Arrays as JSON text, because the driver would convert them to arrays of PostgreSQL. */
export function partsAsJson({ line_items, shipping_options, discounts }: Parts) {
  return {
    line_items: JSON.stringify(line_items),
    shipping_options: JSON.stringify(shipping_options),
    discounts: JSON.stringify(discounts),
  };
}

export function notInSetup(param: string): ApiError {
  return new ApiError("parameter_invalid", `\`${param}\` isn't allowed when \`mode\` is \`setup\`.`, { param });
}

function describeParts({ shipping_option, discounts, tax_amount }: Parts): string {
  const others = [
    shipping_option === null ? [] : ["shipping"],
    tax_amount === null ? [] : ["tax"],
    discounts.length === 0 ? [] : ["discounts"],
  ].flat();
  const names = ["The line items", ...others];
  const last = names.pop() ?? "";
  return names.length === 0 ? last : `${names.join(", ")} and ${last}`;
}

function invalid(param: string, message: string): ApiError {
  return new ApiError("parameter_invalid", message, { param });
}
