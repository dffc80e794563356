/**
 * What an account or a person may be called. Others read it, and it stands in mails that we send to strangers, such as
 * an invitation: whoever chooses it must not lead them to a page or a mailbox in our name. A bare `shop.example` may be
 * a name: shops are called so. Nor does it hold what nobody may read, or can see. Looked at after NFKC, which makes a
 * plain letter of what looks like one.
 */
import { hasHidden } from "@oriel/protocol/foreign-text";
import { cardDigits, countDigits } from "../../platform/card-data/card-number.ts";
import { ApiError } from "../../platform/errors.ts";

/** A mail program makes a link of it by itself. The third: a domain with a port, a path or a query. */
const addresses = [
  /:\/\/|@/,
  /\bwww[.\u3002]/i,
  /[\p{L}\p{N}][.\u3002](?:\p{L}{2,}|xn--[\p{L}\p{N}-]+)(?:[/?#]|:\d)/iu,
];
const secret = /oriel_sk_|whsec_/i;

/** @throws ApiError `parameter_invalid` that names the field, and repeats nothing of it */
export function checkName(name: string, param: string): void {
  const fault = faultOfName(name);
  if (fault !== null) throw new ApiError("parameter_invalid", `\`${param}\` ${fault}.`, { param });
}

/** What is wrong with it, to be said of it; null for nothing. */
export function faultOfName(name: string): string | null {
  if (hasHidden(name)) return "contains characters that nobody can see. Type it again instead of pasting it";
  const plain = name.normalize("NFKC");
  if (secret.test(plain)) return "has a secret in it, and names are for everyone to read. Take that key out of use";
  if (addresses.some((address) => address.test(plain)))
    return "looks like an address of the web or of mail, and stands in mails to others. Give it without one";
  if (countDigits(name) >= cardDigits) return "has as many digits as a card's number may have. Give it without them";
  return null;
}
