/**
 * Adyen's `BillingAddress`, which separates the house number from the street.
 *
 * An address that Adyen would reject is left out, because the address only helps the issuer decide and mustn't prevent
 * the payment. Source: `BillingAddress` in Checkout API v72.
 */
import type { Address } from "../acquirer.ts";

export interface BillingAddress {
  street: string;
  houseNumberOrName: string;
  city: string;
  postalCode: string;
  country: string;
  stateOrProvince?: string;
}

export function billingAddressOf(address: Address): BillingAddress | null {
  const { line1, line2, city, state, country } = address;
  const postalCode = country === "US" ? address.postalCode.slice(0, 5) : address.postalCode;
  const { street, houseNumberOrName } = splitStreet(line1);
  const requiresState = country === "US" || country === "CA";
  if ([street, city, postalCode].includes("") || postalCode.length > 10) return null;
  if (requiresState && (state === undefined || state.length !== 2)) return null;
  return {
    street: line2 === undefined || line2 === "" ? street : `${street}, ${line2}`,
    houseNumberOrName,
    city,
    postalCode,
    country,
    ...(state !== undefined && state !== "" && state.length <= 3 ? { stateOrProvince: state } : {}),
  };
}

/** Finds a house number at the start or the end. With one at both or at neither, it's unclear and becomes `N/A`. */
function splitStreet(line: string): { street: string; houseNumberOrName: string } {
  const first = /^(\d+[a-z]?),?\s+(\S.*)$/i.exec(line);
  const last = /^(.*[^\s,]),*\s+(\d+\s?[a-z]?)$/i.exec(line);
  const [, firstNumber, firstStreet] = first ?? [];
  const [, lastStreet, lastNumber] = last ?? [];
  if (firstNumber !== undefined && firstStreet !== undefined && last === null)
    return { street: firstStreet, houseNumberOrName: firstNumber };
  if (lastNumber !== undefined && lastStreet !== undefined && first === null)
    return { street: lastStreet, houseNumberOrName: lastNumber };
  return { street: line, houseNumberOrName: "N/A" };
}
