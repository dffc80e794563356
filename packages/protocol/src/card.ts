/**
 * What a card number reveals offline: its brand, its possible lengths and whether its check digit is right. Only used
 * where card numbers are allowed: `packages/checkout` in the browser and `packages/vault` on the server. Sources:
 * ISO/IEC 7812-1 (check digit, Annex B) and the networks' published ranges.
 */

const cardBrands = [
  "visa",
  "mastercard",
  "amex",
  "discover",
  "diners",
  "jcb",
  "unionpay",
  "maestro",
  "unknown",
] as const;

export type CardBrand = (typeof cardBrands)[number];

interface BrandRule {
  brand: CardBrand;
  starts: RegExp;
  lengths: readonly number[];
}

/** The first match wins, so narrower ranges come before wider ones. */
const brandRules: readonly BrandRule[] = [
  { brand: "visa", starts: /^4/, lengths: [13, 16, 19] },
  { brand: "mastercard", starts: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { brand: "amex", starts: /^3[47]/, lengths: [15] },
  { brand: "discover", starts: /^(6011|64[4-9]|65)/, lengths: [16, 17, 18, 19] },
  { brand: "diners", starts: /^(30[0-5]|3095|36|3[89])/, lengths: [14, 15, 16, 17, 18, 19] },
  { brand: "jcb", starts: /^35(2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { brand: "unionpay", starts: /^(62|81)/, lengths: [16, 17, 18, 19] },
  { brand: "maestro", starts: /^(5[06-8]|6)/, lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
];

const unknownBrand: BrandRule = { brand: "unknown", starts: /^/, lengths: [12, 13, 14, 15, 16, 17, 18, 19] };

/**
 * Detects the brand of a full or partial number. `digits` must contain only digits.
 *
 * @example cardBrand("42") // "visa"
 */
export function cardBrand(digits: string): CardBrand {
  return ruleFor(digits).brand;
}

/** The lengths a number of this brand can have, shortest first. */
export function cardLengths(digits: string): readonly number[] {
  return ruleFor(digits).lengths;
}

/** The length of the card's security code: 4 for American Express, otherwise 3. */
export function cvcLength(digits: string): 3 | 4 {
  return cardBrand(digits) === "amex" ? 4 : 3;
}

/**
 * Whether a card may have no security code. Bancontact cards have none, and some Maestro cards. Bancontact's numbers are
 * in Maestro's range. Source: `CardType.ts` in Adyen/adyen-web.
 */
export function mayLackCvc(digits: string): boolean {
  return cardBrand(digits) === "maestro";
}

/**
 * Whether `digits` is a complete card number, with a length its brand allows and a valid check digit. Not all UnionPay
 * numbers have a check digit (github.com/braintree/card-validator/issues/112).
 */
export function isCardNumber(digits: string): boolean {
  const isComplete = /^\d{12,19}$/.test(digits) && cardLengths(digits).includes(digits.length);
  return isComplete && (cardBrand(digits) === "unionpay" || passesLuhn(digits));
}

/** The mod-10 check of ISO/IEC 7812-1, Annex B. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/**
 * Whether a card that is valid through the end of a month can still be used. One day of grace covers time zones west of
 * UTC.
 *
 * @param nowMs milliseconds since 1970
 */
export function isExpiryInFuture(month: number, year: number, nowMs: number): boolean {
  const dayMs = 24 * 60 * 60 * 1000;
  return nowMs < Date.UTC(year, month, 1) + dayMs;
}

function ruleFor(digits: string): BrandRule {
  return brandRules.find(({ starts }) => starts.test(digits)) ?? unknownBrand;
}
