/**
 * The sandbox bank's published test cards by name. They are nobody's; outside test mode every one of them is refused.
 * Any expiry in the future and any code of the right length will do.
 */

import { testCards } from "@oriel/protocol/test-cards";

export { testCards };

export interface TestCard {
  /** Digits. */
  number: string;
  /** `MMYY`. */
  expiry: string;
  cvc: string;
  /** Typed too, where the form asks for it. */
  name?: string;
  email?: string;
  postalCode?: string;
}

export type TestCardName = keyof typeof testCards;

/**
 * A card by name, valid for three more years.
 *
 * @param nowMs milliseconds since 1970
 * @throws TypeError for a name that is in no list.
 * @example testCard("visa_3ds_challenge").number // "4000002760003184"
 */
export function testCard(name: TestCardName, nowMs = Date.now()): TestCard {
  if (!Object.hasOwn(testCards, name)) throw new TypeError(`Oriel: there is no test card "${name}".`);
  const year = new Date(nowMs).getUTCFullYear() + 3;
  return { number: testCards[name], expiry: `12${String(year % 100).padStart(2, "0")}`, cvc: "123" };
}

/** What to type into which field, in the order of the form. @throws TypeError for a name that is in no list. */
export function fieldsOf(card: TestCardName | TestCard): [name: keyof TestCard, text: string][] {
  const typed: TestCard = typeof card === "string" ? testCard(card) : card;
  return (["number", "expiry", "cvc", "name", "email", "postalCode"] as const).flatMap((name) => {
    const text = typed[name];
    return text === undefined ? [] : [[name, text] satisfies [string, string]];
  });
}

/** What the sandbox bank's challenge takes for a yes, and for a no. */
export const bankCodes = { approve: "111111", reject: "222222" } as const;
