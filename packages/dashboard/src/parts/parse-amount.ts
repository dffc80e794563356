/**
 * Parses amounts as people type them into integers in the currency's smallest unit, without floating-point arithmetic.
 */
import { currencyExponent } from "@oriel/protocol/currency";

/** `1,000` is one thousand in some countries and one with three decimals in others. */
const ambiguous = /^\d+,\d{3}$/;

const typed = (text: string) => text.trim().replaceAll(" ", "");

/**
 * Accepts a decimal comma unless it could be a thousands separator.
 *
 * @returns null unless the text is an amount above zero with at most the currency's number of decimals
 */
export function parseAmount(text: string, currency: string): number | null {
  if (ambiguous.test(typed(text))) return null;
  const [, whole, , decimals = ""] = /^(\d{1,12})([.,](\d{0,4}))?$/.exec(typed(text)) ?? [];
  const exponent = currencyExponent(currency);
  if (whole === undefined || decimals.length > exponent) return null;
  const minor = Number(whole + decimals.padEnd(exponent, "0"));
  return minor > 0 && Number.isSafeInteger(minor) ? minor : null;
}

/** The error message for a text that {@link parseAmount} refused. */
export function noAmount(text: string, currency: string): string {
  const [whole, decimals] = typed(text).split(",");
  if (!ambiguous.test(typed(text))) return `Enter a valid ${currency.toUpperCase()} amount.`;
  return currencyExponent(currency) === 3
    ? `Enter ${whole}${decimals} or ${whole}.${decimals}, without a comma.`
    : `Enter ${whole}${decimals}, without a comma.`;
}

/** @example writeAmount(1050, "eur") // "10.50", as the value of a form field */
export function writeAmount(amount: number, currency: string): string {
  const exponent = currencyExponent(currency);
  const digits = String(amount).padStart(exponent + 1, "0");
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
