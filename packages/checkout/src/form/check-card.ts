/**
 * Reads the card that stands in the three fields, or says what is wrong with one of them in a word the texts know.
 * A courtesy to the customer: the vault and the bank check for themselves.
 */
import { cardLengths, cvcLength, isCardNumber, isExpiryInFuture } from "@oriel/protocol/card";
import type { TypedCard } from "../page/page.ts";
import type { Problem } from "../texts/texts.ts";

type CardFieldName = keyof TypedCard;

const cardFieldNames = ["number", "expiry", "cvc"] as const satisfies readonly CardFieldName[];

export interface Card {
  number: string;
  exp_month: number;
  exp_year: number;
  cvc: string;
}

/** The card; null while something is wrong with a field. */
export function readCard(typed: TypedCard, nowMs: number): Card | null {
  const expiry = readExpiry(typed.expiry);
  if (!expiry || cardFieldNames.some((name) => checkCardField(name, typed, nowMs))) return null;
  return { number: typed.number, exp_month: expiry.month, exp_year: expiry.year, cvc: typed.cvc };
}

/** What is wrong with one field, or null. The code's length depends on the number. */
export function checkCardField(name: CardFieldName, typed: TypedCard, nowMs: number): Problem | null {
  const { number, cvc } = typed;
  switch (name) {
    case "number":
      if (number === "") return "numberMissing";
      if (number.length < Math.min(...cardLengths(number))) return "numberIncomplete";
      return isCardNumber(number) ? null : "numberWrong";
    case "expiry": {
      if (typed.expiry === "") return "expiryMissing";
      const expiry = readExpiry(typed.expiry);
      if (!expiry) return "expiryIncomplete";
      if (!isExpiryInFuture(expiry.month, expiry.year, nowMs)) return "expiryPast";
      return expiry.year > new Date(nowMs).getUTCFullYear() + 30 ? "expiryFar" : null;
    }
    case "cvc":
      if (cvc === "") return "cvcMissing";
      if (cvc.length === cvcLength(number)) return null;
      return cvcLength(number) === 4 ? "cvcIncomplete4" : "cvcIncomplete3";
  }
}

/** Month and year out of a finished field, or null while it is not one. Two-digit years are of this century. */
function readExpiry(typed: string): { month: number; year: number } | null {
  const [, month, year] = /^(0[1-9]|1[0-2]) \/ (\d\d)$/.exec(typed)?.map(Number) ?? [];
  return month === undefined || year === undefined ? null : { month, year: 2000 + year };
}
