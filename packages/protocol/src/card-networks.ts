/**
 * Co-badged cards, which two networks share. The customer chooses the network: Regulation (EU) 2015/751, article 8(6),
 * gives the payer that choice, and a merchant may not override it. The form offers it from the eighth digit on and
 * shows both networks the same way.
 *
 * A local table of prefixes says which numbers are co-badged
 * (`packages/checkout/src/form/card-fields/co-badged-cards.ts`), so no request is made before the customer pays.
 */
import type { CardBrand } from "./card.ts";

/**
 * The networks that a card can be charged over: international ones and the domestic ones that share cards with them.
 */
export const cardNetworks = [
  "visa",
  "mastercard",
  "maestro",
  "cartes_bancaires",
  "bancontact",
  "dankort",
  "eftpos_australia",
] as const;

export type CardNetwork = (typeof cardNetworks)[number];

/** The international and the domestic network of a co-badged card. */
export type SharedCard = readonly [international: Extract<CardNetwork, CardBrand>, domestic: CardNetwork];
