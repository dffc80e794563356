/**
 * Cards that two networks share. The customer chooses which of them carries the payment: Regulation (EU) 2015/751,
 * article 8(6), gives the choice to the payer, and no preference of the merchant's may be forced. Both are shown alike,
 * and the choice is offered from the eighth digit on.
 *
 * Which numbers are shared is told by a table of prefixes (`packages/checkout/src/form/card-fields/shared-cards.ts`);
 * nobody is asked before Pay.
 */
import type { CardBrand } from "./card.ts";

/**
 * A network that a card can be charged over: the international ones, and the domestic ones that share cards with them.
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

/** The international brand of a shared card, and the domestic network beside it. */
export type SharedCard = readonly [international: Extract<CardNetwork, CardBrand>, domestic: CardNetwork];
