/**
 * The list of risk rules, and of the limits on trying cards. Everything that is decided by risk is decided by a line of this file;
 * `docs/risk.md` shows the same list to merchants and operators.
 *
 * A rule measures something over a window that ends now, and has steps. A step that is exceeded asks for the bank's challenge, or declines
 * before the bank is asked. The rule's name is then the public reason. A limit refuses the request itself, before a card is read.
 *
 * What honest customers do must stay below every step: three retries after a typing error, in one session, with one card, from one address.
 */
import { countDeclines, countTries, declineRatio, timesTheLargest, type Measure } from "./measures.ts";

export interface Rule {
  /** What is measured, for people. */
  measures: string;
  /** What the number in a step means. */
  unit: "tries" | "percent" | "times";
  /** Steps in the words of `settings.ts`. */
  defaults: string;
  measure: Measure;
  /** A rule about everybody who pays at an account: when it fires, somebody attacks the account, and the operator is told. */
  tellsOfAttack: boolean;
}

export const rules = {
  card_velocity: {
    measures: "tries of one card, at whichever account (in test mode: at this account)",
    unit: "tries",
    defaults: "5/h:challenge, 10/h:decline, 30/d:decline",
    measure: countTries("card"),
    tellsOfAttack: false,
  },
  card_declines: {
    measures: "declines of one card, this try counted as one; card networks fine for more than ten a day",
    unit: "tries",
    defaults: "10/d:decline, 20/30d:decline",
    measure: countDeclines,
    tellsOfAttack: false,
  },
  session_velocity: {
    measures: "tries in one checkout session",
    unit: "tries",
    defaults: "4/d:challenge",
    measure: countTries("session"),
    tellsOfAttack: false,
  },
  ip_velocity: {
    measures: "tries from one address (IPv6: from one /64), at whichever account",
    unit: "tries",
    defaults: "10/h:challenge, 30/h:decline",
    measure: countTries("address"),
    tellsOfAttack: false,
  },
  account_velocity: {
    measures: "tries at one account",
    unit: "tries",
    defaults: "2000/h:challenge",
    measure: countTries("account"),
    tellsOfAttack: true,
  },
  account_decline_ratio: {
    measures: "declines in a hundred of the account's tries whose outcome is known",
    unit: "percent",
    defaults: "20% of 50/h:challenge, 50% of 100/h:decline",
    measure: declineRatio,
    tellsOfAttack: true,
  },
  amount_unusual: {
    measures: "the amount, in multiples of the largest that the account was paid in this currency",
    unit: "times",
    defaults: "3x of 20/30d:challenge",
    measure: timesTheLargest,
    tellsOfAttack: false,
  },
} as const satisfies Record<string, Rule>;

/** The public reasons. */
export type RiskReason = keyof typeof rules;

export interface Limit {
  measures: string;
  defaults: string;
  of: "session" | "address" | "account";
}

/** Beyond these the answer is 429. What was refused does not count, so the way is free again when the oldest try leaves the window. */
export const limits = {
  session_tries: { measures: "tries in one checkout session", defaults: "10/h", of: "session" },
  ip_tries: { measures: "tries from one address (IPv6: from one /64), at whichever account", defaults: "60/h", of: "address" },
  account_tries: { measures: "tries at one account", defaults: "10000/h", of: "account" },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;
