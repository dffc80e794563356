/**
 * The sandbox bank's published test cards by name. They are nobody's; outside test mode every one of them is refused.
 * Any expiry in the future and any code of the right length will do.
 */

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

/** Numbers by name. Below the first ones, a card is named by the bank's `decline_code`. */
export const testCards = {
  visa: "4242424242424242",
  mastercard: "5555555555554444",
  visa_3ds_frictionless: "4000000032200000",
  visa_3ds_challenge: "4000002760003184",
  mastercard_3ds_frictionless: "5200000000001005",

  generic_decline: "4000000000000002",
  insufficient_funds: "4000000000009995",
  card_velocity_exceeded: "4000000000006975",
  stolen_card: "4000000000009979",
  lost_card: "4000000000009987",
  fraudulent: "4100000000000019",
  expired_card: "4000000000000069",
  incorrect_cvc: "4000000000000127",
  incorrect_zip: "4000000000000036",
  incorrect_address: "4000000000000028",
  processing_error: "4000000000000119",
  do_not_honor: "4000000000001018",
  withdrawal_count_limit_exceeded: "4000000000001026",
  incorrect_number: "4000000000001034",
  invalid_number: "4000000000001042",
  invalid_cvc: "4000000000001059",
  invalid_expiry_month: "4000000000001067",
  invalid_expiry_year: "4000000000001075",
  authentication_required: "4000000000001083",
  authentication_not_handled: "4000000000001091",
  approve_with_id: "4000000000001109",
  issuer_not_available: "4000000000001117",
  reenter_transaction: "4000000000001125",
  call_issuer: "4000000000001133",
  card_not_supported: "4000000000001141",
  currency_not_supported: "4000000000001158",
  transaction_not_allowed: "4000000000001166",
  duplicate_transaction: "4000000000001174",
  merchant_blacklist: "4000000000001182",
  pickup_card: "4000000000001190",
  revocation_of_authorization: "4000000000001208",
  revocation_of_all_authorizations: "4000000000001216",
  stop_payment_order: "4000000000001224",
} as const;
