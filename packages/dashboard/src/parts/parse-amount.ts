/**
 * Reads an amount as people type it, in the currency's usual unit, into an integer of its smallest. No float is in
 * between.
 */
import { currencyExponent } from "@oriel/protocol/currency";

/** One comma and three digits after it: a thousand in one country, and one and no thousandths in another. */
const ambiguous = /^\d+,\d{3}$/;

const typed = (text: string) => text.trim().replaceAll(" ", "");

/**
 * @returns null for what is no amount above zero with at most the currency's decimals; a comma is a point, but not
 *   where it may part thousands
 */
export function parseAmount(text: string, currency: string): number | null {
  if (ambiguous.test(typed(text))) return null;
  const [, whole, , decimals = ""] = /^(\d{1,12})([.,](\d{0,4}))?$/.exec(typed(text)) ?? [];
  const exponent = currencyExponent(currency);
  if (whole === undefined || decimals.length > exponent) return null;
  const minor = Number(whole + decimals.padEnd(exponent, "0"));
  return minor > 0 && Number.isSafeInteger(minor) ? minor : null;
}

/** What to say of a text that {@link parseAmount} refused. */
export function noAmount(text: string, currency: string): string {
  const [whole, decimals] = typed(text).split(",");
  if (!ambiguous.test(typed(text))) return "No amount of this currency.";
  return currencyExponent(currency) === 3
    ? `Write ${whole}${decimals} or ${whole}.${decimals}, without a comma.`
    : `Write ${whole}${decimals}, without a comma.`;
}

/** The other way, for a field: `1050` of `eur` is `10.50`. */
export function writeAmount(amount: number, currency: string): string {
  const exponent = currencyExponent(currency);
  const digits = String(amount).padStart(exponent + 1, "0");
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
