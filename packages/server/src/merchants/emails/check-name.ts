/**
 * Checks the name of an account or a user. Names appear in emails to strangers, such as invitations, so a name must not
 * contain a link or an email address that looks as if it came from us. A bare `shop.example` is allowed because shops
 * have such names. Names must not contain secrets, card numbers or hidden characters either. Checks run on the NFKC
 * form, which turns lookalike characters into plain ones.
 */
import { hasHidden } from "@oriel/protocol/hidden-characters";
import { cardDigits, countDigits } from "../../platform/card-data/card-number.ts";
import { ApiError } from "../../platform/errors.ts";

/** Text that mail programs turn into links. The third pattern matches a domain with a port, a path or a query. */
const addresses = [
  /:\/\/|@/,
  /\bwww[.\u3002]/i,
  /[\p{L}\p{N}][.\u3002](?:\p{L}{2,}|xn--[\p{L}\p{N}-]+)(?:[/?#]|:\d)/iu,
];
const secret = /oriel_sk_|whsec_/i;

/** @throws ApiError `parameter_invalid` that names the field but doesn't repeat its value */
export function checkName(name: string, param: string): void {
  const fault = faultOfName(name);
  if (fault !== null) throw new ApiError("parameter_invalid", `\`${param}\` ${fault}.`, { param });
}

/** @returns what is wrong with the name, as the predicate of a sentence about it, or null */
export function faultOfName(name: string): string | null {
  if (hasHidden(name)) return "contains hidden characters. Type it instead of pasting it";
  const plain = name.normalize("NFKC");
  if (secret.test(plain))
    return "contains a secret, and everyone can read names. Revoke that key and choose another name";
  if (addresses.some((address) => address.test(plain)))
    return "contains a URL or an email address, which aren't allowed in names. Remove it";
  if (countDigits(name) >= cardDigits) return "contains as many digits as a card number. Remove some of them";
  return null;
}
