/** Reads an amount as people type it, in the currency's usual unit, into an integer of its smallest. No float is in between. */
import { currencyExponent } from "@oriel/protocol/currency";

/** @returns null for what is no amount above zero with at most the currency's decimals; a comma is a point */
export function parseAmount(text: string, currency: string): number | null {
  const [, whole, , decimals = ""] = /^(\d{1,12})([.,](\d{0,4}))?$/.exec(text.trim().replaceAll(" ", "")) ?? [];
  const exponent = currencyExponent(currency);
  if (whole === undefined || decimals.length > exponent) return null;
  const minor = Number(whole + decimals.padEnd(exponent, "0"));
  return minor > 0 && Number.isSafeInteger(minor) ? minor : null;
}

/** The other way, for a field: `1050` of `eur` is `10.50`. */
export function writeAmount(amount: number, currency: string): string {
  const exponent = currencyExponent(currency);
  const digits = String(amount).padStart(exponent + 1, "0");
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
