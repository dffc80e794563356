/**
 * Finds card numbers in text that others wrote: metadata, names, references, an Idempotency-Key. Such text is stored in
 * clear, so a number in it is refused.
 *
 * Order numbers must get through, so all of this has to be true of a number: it is a whole token, written as cards are
 * (in one piece, or in groups with one space or hyphen between them); it begins with digits that a network issues; it
 * has a length of that network; and its check digit is right. Of all 16-digit order numbers that begin with 4, one in
 * ten still looks like a card.
 *
 * A part of a longer token isn't a card number: 20 digits in groups of four, the fraction of a decimal number, a hash,
 * an IBAN, a UUID. Letters may touch a number only as a word of three or more, as in "card4242...". What is missed:
 * numbers that are split over several fields, encoded, or spaced in other ways. The vault and the checkout form don't
 * depend on this check.
 */
import { cardBrand, isCardNumber, passesLuhn } from "@oriel/protocol/card";
import { plainDigits } from "@oriel/protocol/plain-digits";
import { isIban, plainIban } from "../money/iban.ts";

/** The shortest card number. */
export const cardDigits = 12;
const longestNumber = 19;

/** Whether there is a whole card number in it. */
export function holdsCardNumber(text: string): boolean {
  if (text.length < cardDigits) return false;
  const plain = inAscii(text);
  if (!/\d(?:[ -]?\d){11}/.test(plain)) return false;
  for (const [, run = ""] of withoutUuids(withoutIbans(plain)).matchAll(digitRuns))
    if (holdsCard(run.split(" "))) return true;
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

/** The digits of a text in any script, as 0 to 9. */
export function digitsOf(text: string): string {
  return plainDigits(text.normalize("NFKC")).replace(/\D/g, "");
}

/** How many digits it has, in any script, wherever they are. For fields that need hardly any. */
export function countDigits(text: string): number {
  return (text.normalize("NFKC").match(/\p{N}/gu) ?? []).length;
}

/**
 * Digit groups with single spaces and hyphens between them, with nothing around them that would make them part of
 * something else.
 */
const digitRuns = /(?<![0-9A-Za-z]|\d\.)(?:[A-Za-z]{3,})?(\d+(?:[ -]\d+)*)(?:[A-Za-z]{3,})?(?![0-9A-Za-z])/g;

/** Full-width digits, digits of other scripts, other spaces and dashes; what nobody sees is left out. */
function inAscii(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const visible = text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return plainDigits(visible).replace(/[\p{Pd}\u2212]/gu, "-");
}

/** Written in groups of four, the digits of an IBAN can look like a card. */
function withoutIbans(text: string): string {
  return text.replace(/\b[A-Z]{2}\d{2}(?: [0-9A-Z]{4}){2,7}(?: [0-9A-Z]{1,3})?\b/g, (found) =>
    isIban(plainIban(found)) ? "" : found,
  );
}

/**
 * A group or two of a UUID can look like a card: in one of 25,000 random UUIDs they do. Clients use UUIDs as idempotency
 * keys and order numbers.
 */
function withoutUuids(text: string): string {
  return text.replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "");
}

/** @param words what stands between spaces: groups of digits, with hyphens between them */
function holdsCard(words: readonly string[]): boolean {
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
 * How cards are written, with a hyphen for every gap: American Express, Diners Club, UATP, UnionPay, old Visa, and in
 * one piece.
 */
const otherGroups = /^(\d{12,19}|\d{4}-\d{6}-\d{4,5}|\d{4}-\d{5}-\d{6}|\d{6}-\d{13}|\d{4}(-\d{3}){3})$/;
/** In groups of four as well, which must not go on before or after. */
const anyGroups = new RegExp(`${otherGroups.source}|^\\d{4}(-\\d{4}){2,3}(-\\d{1,3})?$`);

function isFour(word: string | undefined): boolean {
  return word?.length === 4;
}

/** Networks of one country whose numbers aren't among those of an international one. */
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
  // The form takes any number with a 6 for Maestro. Only some of these were ever issued.
  const isUnissued = brand === "unknown" || (brand === "maestro" && /^6[^37]/.test(number));
  return !isUnissued && isCardNumber(number);
}

/**
 * An EAN or UPC. Their 13 and 12 digits were lengths of cards, too, but none are issued with them today, and article
 * numbers are common in orders. Their check digit is another one.
 */
function isArticleNumber(number: string): boolean {
  if (number.length !== 12 && number.length !== 13) return false;
  const weighted = number
    .padStart(13, "0")
    .split("")
    .map((digit, i) => Number(digit) * (i % 2 === 0 ? 1 : 3));
  return weighted.reduce((sum, digit) => sum + digit, 0) % 10 === 0;
}
