/**
 * Refuses billing details that may contain a card number. A customer may type a card number into a plain text field, or
 * the host page may move the focus to one with `focus()` while the customer is typing. The number would then be stored,
 * sent to the issuer and shown to the merchant.
 *
 * Names and postal codes need few digits, so all their digits are counted, in any script and with any characters
 * between them. NFKC turns look-alikes (full-width, circled, superscript) into digits. A card number has at least 12
 * digits and may be split over two fields, so the digits of the name and the postal code are added up. An email address
 * may contain as many digits as a card number, for example a phone number or a timestamp. It's refused if the digits on
 * one side of the `@`, alone or after those of the name, form a card number. A CVC looks like a postal code, so it
 * can't be recognized here. Only the iframe can keep the two apart.
 */
import type { BillingDetails } from "@oriel/protocol/frame";
import { beginsWithCardNumber, cardDigits, countDigits, digitsOf } from "../../platform/card-data/card-number.ts";
import { ApiError } from "../../platform/errors.ts";

/** Allows for names such as "Henry VIII 2nd". Four digits can't be a card number. */
const nameDigits = 4;
/** The longest postal codes have ten digits. */
const postalDigits = 10;

/** @throws ApiError that names the field without repeating its value */
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
    `\`${param}\` may contain a card number, so it wasn't stored. Remove the digits and send the request again.`,
    { param },
  );
}
