/**
 * Refuses what the customer gives beside the card when it may be the card: a number that was typed, or led by the host page's `focus()`, into a
 * field of clear text would be stored, sent to the customer's bank and shown to the merchant.
 *
 * Digits are counted, not runs of them, so nothing that stands between them matters; in every script, after NFKC, which makes digits of what
 * looks like one (full-width, circled, superscript). A number has 12 digits or more, and may be typed on over two fields. Name and postal code are
 * counted together, and the name with either side of the email's `@`, which nobody types with a card. Not postal code and email: a telephone
 * number is an address in many places, and has a right to its postal code. A CVC looks as a postal code does; that is the frame's to keep apart.
 */
import type { BillingDetails } from "@oriel/protocol/frame";
import { cardDigits, countDigits } from "../card-data/card-number.ts";
import { ApiError } from "../errors.ts";

/** "Henry VIII 2nd" is a name; four digits are no card. */
const nameDigits = 4;
/** The longest postal codes have ten. */
const postalDigits = 10;

/** @throws ApiError that names the field, and repeats nothing of it */
export function refuseCardData({ name = "", email = "", postal_code = "" }: BillingDetails = {}): void {
  const inName = countDigits(name);
  const inPostalCode = countDigits(postal_code);
  const inEmail = Math.max(...email.split("@").map(countDigits));
  if (inName > nameDigits) refuse("name");
  if (inName + inEmail >= cardDigits) refuse("email");
  if (inPostalCode > postalDigits || inName + inPostalCode >= cardDigits) refuse("postal_code");
}

function refuse(field: keyof BillingDetails): never {
  const param = `billing_details.${field}`;
  throw new ApiError(
    "parameter_invalid",
    `\`${param}\` has as many digits as a card's number may have. Nothing was kept of it: give it without them.`,
    { param },
  );
}
