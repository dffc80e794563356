/**
 * Finds card numbers in a field for phone numbers. Phone numbers of some countries have the length and the prefix of a
 * card number, such as +63 917 555 0142, and a tenth of them have its check digit. Almost all phone numbers have at most
 * 13 digits, and almost no card number has so few. So a number that starts with `+` is a card number only if it's longer.
 */
import { containsCardNumber, digitsOf } from "./card-number.ts";

const longestPhoneNumber = 13;

export function mayBeCardNumber(phone: string): boolean {
  return containsCardNumber(phone) && !(/^\s*\+/.test(phone) && digitsOf(phone).length <= longestPhoneNumber);
}
