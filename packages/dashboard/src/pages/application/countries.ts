/** Country names, from the browser. */
import { countryCodes } from "@oriel/protocol/country-codes";

const names = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** @example countryName("DE") // "Germany" */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}

/** All countries, sorted by name. */
export const countryChoices = countryCodes
  .map((value) => ({ value, label: countryName(value) }))
  .toSorted((one, other) => one.label.localeCompare(other.label, "en"));
