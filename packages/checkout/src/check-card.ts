/**
 * Says whether what stands in the three fields is a card, and what is wrong with it in a word the texts know.
 * A courtesy to the customer: the vault and the bank check for themselves.
 */
import { cardLengths, cvcLength, isCardNumber, isExpiryInFuture } from "@oriel/protocol/card";
import { readExpiry } from "./format-expiry.ts";
import { onlyDigits } from "./format-number.ts";
import type { Problem } from "./texts/texts.ts";

export interface TypedCard {
  number: string;
  expiry: string;
  cvc: string;
}

export type CardFieldName = keyof TypedCard;

const fieldNames = ["number", "expiry", "cvc"] as const satisfies readonly CardFieldName[];

export interface Card {
  number: string;
  exp_month: number;
  exp_year: number;
  cvc: string;
}

/** The card, or every field's problem. */
export function checkCard(
  typed: TypedCard,
  nowMs: number,
): { card: Card } | { problems: Partial<Record<CardFieldName, Problem>> } {
  const problems: Partial<Record<CardFieldName, Problem>> = {};
  for (const name of fieldNames) {
    const problem = checkCardField(name, typed, nowMs);
    if (problem) problems[name] = problem;
  }
  const expiry = readExpiry(typed.expiry);
  if (!expiry || Object.keys(problems).length > 0) return { problems };
  return {
    card: { number: onlyDigits(typed.number), exp_month: expiry.month, exp_year: expiry.year, cvc: onlyDigits(typed.cvc) },
  };
}

/** What is wrong with one field, or null. The code's length depends on the number. */
export function checkCardField(name: CardFieldName, typed: TypedCard, nowMs: number): Problem | null {
  const number = onlyDigits(typed.number);
  switch (name) {
    case "number":
      if (number === "") return "numberMissing";
      if (number.length < Math.min(...cardLengths(number))) return "numberIncomplete";
      return isCardNumber(number) ? null : "numberWrong";
    case "expiry": {
      if (typed.expiry.trim() === "") return "expiryMissing";
      const expiry = readExpiry(typed.expiry);
      if (!expiry) return "expiryIncomplete";
      if (!isExpiryInFuture(expiry.month, expiry.year, nowMs)) return "expiryPast";
      return expiry.year > new Date(nowMs).getUTCFullYear() + 30 ? "expiryFar" : null;
    }
    case "cvc": {
      const code = onlyDigits(typed.cvc);
      if (code === "") return "cvcMissing";
      if (code.length === cvcLength(number)) return null;
      return cvcLength(number) === 4 ? "cvcIncomplete4" : "cvcIncomplete3";
    }
  }
}
