/** The passwords that are tried first: the 49,000 commonest of public leaks, as zxcvbn-ts keeps them, in lower case. Looked at here, told to nobody. */
import { dictionary } from "@zxcvbn-ts/language-common";

/** Shorter ones are no word that a long password could be made of. */
const minLength = 6;

export const commonPasswords: ReadonlySet<string> = new Set(
  dictionary["passwords-common"].map(String).filter((password) => password.length >= minLength),
);
