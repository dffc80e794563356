/**
 * The cards that two networks share (co-badged cards), by the first digits of the number. This is a sample that
 * operators should replace with the list from their acquirer, which gets it from the networks. The number isn't sent to
 * anyone before Pay is pressed, so a card that isn't listed offers no choice and is charged over the acquirer's default
 * network.
 *
 * It expects digits only, and matches from the eighth digit on, because an issuer identification number has eight
 * (ISO/IEC 7812-1:2017).
 *
 * Sources. 5131: Mastercards of Europay France and Mastercard France, co-badged with CB (getbincodes.com). 4571:
 * Visa/Dankort, and 6703: Bancontact with Maestro (`CardType` in Adyen's Android SDK). 4970 to 4978: Visa cards of
 * French banks, co-badged with CB; this is common practice, but we found no published list. eftpos publishes its list
 * for Australia at eftposaustralia.com.au; it isn't included. The two eight-digit prefixes are the sandbox's test
 * cards.
 */
import type { SharedCard } from "@oriel/protocol/card-networks";

const visaAndCartesBancaires: SharedCard = ["visa", "cartes_bancaires"];
const mastercardAndCartesBancaires: SharedCard = ["mastercard", "cartes_bancaires"];

/** The first digits of the number (at most eight) and the networks of the card. The first match wins. */
const coBadgedCards: readonly (readonly [begins: RegExp, networks: SharedCard])[] = [
  [/^497[0-8]|^40000025/, visaAndCartesBancaires],
  [/^5131|^55555525/, mastercardAndCartesBancaires],
  [/^4571/, ["visa", "dankort"]],
  [/^6703/, ["maestro", "bancontact"]],
];

const knownFrom = 8;

/** The networks of a co-badged card; null for any other card, and for fewer than eight digits. */
export function sharedCard(digits: string): SharedCard | null {
  if (digits.length < knownFrom) return null;
  return coBadgedCards.find(([begins]) => begins.test(digits.slice(0, knownFrom)))?.[1] ?? null;
}
