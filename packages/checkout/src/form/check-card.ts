/**
 * Reads the card from the three fields, or returns a problem code that the texts have a message for. This only helps
 * the customer: the vault and the issuer do their own checks.
 */
import { cardLengths, cvcLength, isCardNumber, isExpiryInFuture, mayLackCvc } from "@oriel/protocol/card";
import type { TypedCard } from "../page/page.ts";
import type { Problem } from "../texts/texts.ts";

type CardFieldName = keyof TypedCard;

const cardFieldNames = ["number", "expiry", "cvc"] as const satisfies readonly CardFieldName[];

export interface Card {
  number: string;
  exp_month: number;
  exp_year: number;
  /** Empty if the card has none. */
  cvc: string;
}

/** Returns the card, or null while a field has a problem. */
export function readCard(typed: TypedCard, nowMs: number): Card | null {
  const expiry = readExpiry(typed.expiry);
  if (!expiry || cardFieldNames.some((name) => checkCardField(name, typed, nowMs))) return null;
  return { number: typed.number, exp_month: expiry.month, exp_year: expiry.year, cvc: typed.cvc };
}

/** Returns the field's problem, or null. The length of the code depends on the number. */
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
      if (cvc === "") return mayLackCvc(number) ? null : "cvcMissing";
      if (cvc.length === cvcLength(number)) return null;
      return cvcLength(number) === 4 ? "cvcIncomplete4" : "cvcIncomplete3";
  }
}

/** The month and year of a complete field; null if it is incomplete. Two-digit years are in this century. */
function readExpiry(typed: string): { month: number; year: number } | null {
  const [, month, year] = /^(0[1-9]|1[0-2]) \/ (\d\d)$/.exec(typed)?.map(Number) ?? [];
  return month === undefined || year === undefined ? null : { month, year: 2000 + year };
}
