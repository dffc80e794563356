/**
 * Finds card numbers in text from merchants and customers: metadata, names, references, an Idempotency-Key. Such text
 * is stored unencrypted, so requests with a card number in it are rejected.
 *
 * Order numbers must not be rejected by mistake, so a number counts as a card number only if:
 *
 * - It is a whole token, written the way cards are: in one piece, or in groups separated by one space or hyphen.
 * - It starts with digits that a network issues, and has a length that network uses.
 * - Its check digit is right.
 *
 * Of all 16-digit order numbers that start with 4, one in ten still looks like a card.
 *
 * Part of a longer token isn't a card number: 20 digits in groups of four, the fraction of a decimal number, a hash, an
 * IBAN, a UUID. Letters may touch a number only as a word of three or more, as in "card4242...". This check misses
 * numbers that are split over several fields, encoded, or spaced differently, and UnionPay numbers without a check digit.
 * The vault and the checkout form don't depend on it.
 */
import { cardBrand, isCardNumber, passesLuhn } from "@oriel/protocol/card";
import { plainDigits } from "@oriel/protocol/plain-digits";
import { isIban, plainIban } from "../money/iban.ts";

/** Length of the shortest card numbers. */
export const cardDigits = 12;
export const longestNumber = 19;

/** Whether the text contains a complete card number. */
export function containsCardNumber(text: string): boolean {
  if (text.length < cardDigits) return false;
  const plain = inAscii(text);
  if (!/\d(?:[ -]?\d){11}/.test(plain)) return false;
  for (const [, run = ""] of withoutUuids(withoutIbans(plain)).matchAll(digitRuns))
    if (containsCard(run.split(" "))) return true;
  return false;
}

/**
 * Whether these digits are a card number, or a card number followed by more digits, such as its expiry date and CVC.
 */
export function beginsWithCardNumber(digits: string): boolean {
  if (digits.length <= longestNumber) return digits.length >= cardDigits && isIssued(digits);
  for (let length = cardDigits; length <= longestNumber; length++) if (isIssued(digits.slice(0, length))) return true;
  return false;
}

/** The digits in a text, of any script, converted to 0 to 9. */
export function digitsOf(text: string): string {
  return plainDigits(text.normalize("NFKC")).replace(/\D/g, "");
}

/** Counts the digits in a text, of any script. Used for fields that need only a few. */
export function countDigits(text: string): number {
  return (text.normalize("NFKC").match(/\p{N}/gu) ?? []).length;
}

/**
 * Groups of digits separated by single spaces or hyphens, with nothing next to them that would make them part of
 * something else.
 */
const digitRuns = /(?<![0-9A-Za-z]|\d\.)(?:[A-Za-z]{3,})?(\d+(?:[ -]\d+)*)(?:[A-Za-z]{3,})?(?![0-9A-Za-z])/g;

/** Converts full-width digits, other scripts' digits, spaces and dashes to ASCII, and removes invisible characters. */
function inAscii(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const visible = text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return plainDigits(visible).replace(/[\p{Pd}\u2212]/gu, "-");
}

/** Removes IBANs, whose digits can look like a card when written in groups of four. */
function withoutIbans(text: string): string {
  return text.replace(/\b[A-Z]{2}\d{2}(?: [0-9A-Z]{4}){2,7}(?: [0-9A-Z]{1,3})?\b/g, (found) =>
    isIban(plainIban(found)) ? "" : found,
  );
}

/**
 * Removes UUIDs. In one of 25,000 random UUIDs, one or two groups look like a card, and clients use UUIDs as
 * idempotency keys and order numbers.
 */
function withoutUuids(text: string): string {
  return text.replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "");
}

/** @param words the parts between spaces: groups of digits, with hyphens between them */
function containsCard(words: readonly string[]): boolean {
  for (const [first, word] of words.entries()) {
    if (!/^\d{4}/.test(word)) continue; // no card begins with a shorter group
    let written = "";
    for (let last = first; last < words.length && written.length <= longestWritten; last++) {
      written += last === first ? word : `-${words[last]}`;
      const goesOn = isFour(words[first - 1]) || (/(^|-)\d{4}$/.test(written) && isFour(words[last + 1]));
      if ((goesOn ? otherGroups : anyGroups).test(written) && isIssued(written.replaceAll("-", ""))) return true;
    }
  }
  return false;
}

/** 19 digits in groups of four. */
const longestWritten = longestNumber + 4;

/**
 * The ways card numbers are grouped, with a hyphen for each separator: American Express, Diners Club, UATP, UnionPay,
 * old Visa, and in one piece.
 */
const otherGroups = /^(\d{12,19}|\d{4}-\d{6}-\d{4,5}|\d{4}-\d{5}-\d{6}|\d{6}-\d{13}|\d{4}(-\d{3}){3})$/;
/** Also allows groups of four, if there isn't another group of four before or after. */
const anyGroups = new RegExp(`${otherGroups.source}|^\\d{4}(-\\d{4}){2,3}(-\\d{1,3})?$`);

function isFour(word: string | undefined): boolean {
  return word?.length === 4;
}

/** Domestic networks whose number ranges don't belong to an international network. */
const domestic: readonly { starts: RegExp; lengths: readonly number[] }[] = [
  { starts: /^220[0-5]/, lengths: [16, 17, 18, 19] }, // Mir, BORICA
  { starts: /^(60|82)/, lengths: [16] }, // RuPay, Hipercard
  { starts: /^9704/, lengths: [16, 19] }, // NAPAS
  { starts: /^(1946|8600|9792|9860)/, lengths: [16] }, // GPN, UzCard, Troy, Humo
];

function isIssued(number: string): boolean {
  if (isArticleNumber(number)) return false;
  if (domestic.some(({ starts, lengths }) => starts.test(number) && lengths.includes(number.length)))
    return passesLuhn(number);
  const brand = cardBrand(number);
  // The checkout form accepts any number that starts with 6 as Maestro, but only some of these ranges were issued.
  const isUnissued = brand === "unknown" || (brand === "maestro" && /^6[^37]/.test(number));
  return !isUnissued && isCardNumber(number) && passesLuhn(number);
}

/**
 * An EAN (13 digits) or UPC (12 digits), which are common in orders. No network issues cards of these lengths today,
 * and the check digit is calculated differently.
 */
function isArticleNumber(number: string): boolean {
  if (number.length !== 12 && number.length !== 13) return false;
  const weighted = number
    .padStart(13, "0")
    .split("")
    .map((digit, i) => Number(digit) * (i % 2 === 0 ? 1 : 3));
  return weighted.reduce((sum, digit) => sum + digit, 0) % 10 === 0;
}
