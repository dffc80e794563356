/**
 * The sandbox bank's test cards by name. They belong to no real card, and live mode refuses them. Use any future expiry
 * and any security code of the right length.
 */

import { testCards } from "@oriel/protocol/test-cards";

export { testCards };

export interface TestCard {
  /** Digits only. */
  number: string;
  /** `MMYY`. */
  expiry: string;
  cvc: string;
  /** Only if the form has this field. */
  name?: string;
  email?: string;
  postalCode?: string;
}

export type TestCardName = keyof typeof testCards;

/**
 * Returns a card by name that is valid for three more years.
 *
 * @param nowMs milliseconds since 1970
 * @throws TypeError for an unknown name
 * @example testCard("visa_3ds_challenge").number // "4000002760003184"
 */
export function testCard(name: TestCardName, nowMs = Date.now()): TestCard {
  if (!Object.hasOwn(testCards, name)) throw new TypeError(`Oriel: unknown test card "${name}".`);
  const year = new Date(nowMs).getUTCFullYear() + 3;
  return { number: testCards[name], expiry: `12${String(year % 100).padStart(2, "0")}`, cvc: "123" };
}

/** Returns the text for each field, in the form's order. @throws TypeError for an unknown name */
export function fieldsOf(card: TestCardName | TestCard): [name: keyof TestCard, text: string][] {
  const typed: TestCard = typeof card === "string" ? testCard(card) : card;
  return (["number", "expiry", "cvc", "name", "email", "postalCode"] as const).flatMap((name) => {
    const text = typed[name];
    return text === undefined ? [] : [[name, text] satisfies [string, string]];
  });
}

/** The codes that approve, reject or cancel the sandbox bank's challenge. */
export const bankCodes = { approve: "111111", reject: "222222", cancel: "333333" } as const;
