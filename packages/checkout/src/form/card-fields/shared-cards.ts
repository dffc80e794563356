/**
 * Which cards two networks share, by how their numbers begin. A sample to be replaced: the networks hand their whole
 * lists to acquirers, and an operator puts what its acquirer gives it in here. Nobody is asked about a number before
 * Pay, so what is not in here has no choice, and is charged over the network that the acquirer takes.
 *
 * It trusts the digits that it is given to be digits, and answers from the eighth on, as an issuer's identifier has
 * eight (ISO/IEC 7812-1:2017).
 *
 * Sources. 5131: Mastercards of Europay France and Mastercard France, which carry CB (getbincodes.com). 4571:
 * Visa/Dankort, and 6703: Bancontact with Maestro (`CardType` in Adyen's Android SDK). 4970 to 4978, Visa cards of
 * French banks which carry CB, are what the field goes by; we found no published list. eftpos publishes its own for
 * Australia at eftposaustralia.com.au; none of it is in here. The two of eight digits are the sandbox's test cards.
 */
import type { SharedCard } from "@oriel/protocol/card-networks";

const visaAndCartesBancaires: SharedCard = ["visa", "cartes_bancaires"];
const mastercardAndCartesBancaires: SharedCard = ["mastercard", "cartes_bancaires"];

/** What a number begins with, at most eight digits, and whose card it then is. The first that fits holds. */
const sharedCards: readonly (readonly [begins: RegExp, networks: SharedCard])[] = [
  [/^497[0-8]|^40000025/, visaAndCartesBancaires],
  [/^5131|^55555525/, mastercardAndCartesBancaires],
  [/^4571/, ["visa", "dankort"]],
  [/^6703/, ["maestro", "bancontact"]],
];

const knownFrom = 8;

/** The networks of a shared card; null for any other, and for fewer than eight digits. */
export function sharedCard(digits: string): SharedCard | null {
  if (digits.length < knownFrom) return null;
  return sharedCards.find(([begins]) => begins.test(digits.slice(0, knownFrom)))?.[1] ?? null;
}
