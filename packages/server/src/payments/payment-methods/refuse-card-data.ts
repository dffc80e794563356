/**
 * Refuses what the customer gives beside the card when it may be the card: a number that was typed, or led by the host
 * page's `focus()`, into a field of clear text would be stored, sent to the customer's bank and shown to the merchant.
 *
 * A name and a postal code need hardly any digits, so theirs are counted, not runs of them: nothing that stands between
 * them matters, in every script, after NFKC, which makes digits of what looks like one (full-width, circled,
 * superscript). A number has 12 digits or more, and may be typed on over two fields, so name and postal code are
 * counted together. An email address may have as many digits as a card, as a telephone number or a time: it is refused
 * where they are a card's number, those on either side of the `@`, alone or after those of the name. A CVC looks as a
 * postal code does; that is the frame's to keep apart.
 */
import type { BillingDetails } from "@oriel/protocol/frame";
import { beginsWithCardNumber, cardDigits, countDigits, digitsOf } from "../../platform/card-data/card-number.ts";
import { ApiError } from "../../platform/errors.ts";

/** "Henry VIII 2nd" is a name; four digits are no card. */
const nameDigits = 4;
/** The longest postal codes have ten. */
const postalDigits = 10;

/** @throws ApiError that names the field, and repeats nothing of it */
export function refuseCardData({ name = "", email = "", postal_code = "" }: BillingDetails = {}): void {
  const inName = countDigits(name);
  const inPostalCode = countDigits(postal_code);
  const isCard = email.split("@").some((side) => [digitsOf(side), digitsOf(name + side)].some(beginsWithCardNumber));
  if (inName > nameDigits) refuse("name");
  if (isCard) refuse("email");
  if (inPostalCode > postalDigits || inName + inPostalCode >= cardDigits) refuse("postal_code");
}

function refuse(field: keyof BillingDetails): never {
  const param = `billing_details.${field}`;
  throw new ApiError(
    "parameter_invalid",
    `\`${param}\` may be a card's number, by its digits. Nothing was kept of it: give it without them.`,
    { param },
  );
}
