/**
 * Finds card numbers in a field for phone numbers. Phone numbers of some countries have the length and the prefix of a
 * card number, such as +63 917 555 0142, and a tenth of them have its check digit. Almost all phone numbers have at most
 * 13 digits, and almost no card number has so few. So a number that starts with `+` is a card number only if it's longer.
 *
 * Phone numbers are written in many ways, such as 030.123456 or (030) 123 456. So if the digits are too many for one, they
 * may be a card number whatever is between them.
 */
import { beginsWithCardNumber, containsCardNumber, digitsOf, longestNumber } from "./card-number.ts";

const longestPhoneNumber = 13;

export function mayBeCardNumber(phone: string): boolean {
  const digits = digitsOf(phone);
  if (digits.length > longestPhoneNumber)
    return containsCardNumber(phone) || (digits.length <= longestNumber && beginsWithCardNumber(digits));
  return containsCardNumber(phone) && !/^\s*\+/.test(phone);
}
