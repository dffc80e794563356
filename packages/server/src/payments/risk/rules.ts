/**
 * The list of risk rules, and of the limits on trying cards. Everything that is decided by risk is decided by a line of
 * this file; `docs/risk.md` shows the same list to merchants and operators.
 *
 * A rule measures something over a window that ends now, and has steps. A step that is exceeded asks for the bank's
 * challenge, or declines before the bank is asked. The rule's name is then the public reason. A limit refuses the
 * request itself, before a card is read.
 *
 * What honest customers do must stay below every step: three retries after a typing error, in one session, with one
 * card, from one address.
 */
import { countDeclines, countTries, declineRatio, timesTheLargest, type Measure, type Scope } from "./measures.ts";

export interface Rule {
  /**
   * Which tries count together. Of a payment with the customer absent only the card is judged: see `docs/risk.md`,
   * "Renewals".
   */
  of: Scope;
  /** What the number in a step means. */
  unit: "tries" | "percent" | "times";
  /** Steps in the words of `settings.ts`. */
  defaults: string;
  measure: Measure;
  /**
   * A rule about everybody who pays at an account: when it fires, somebody attacks the account, and the operator is
   * told.
   */
  tellsOfAttack: boolean;
}

export const rules = {
  /** Tries of one card, at whichever account (in test mode: at this account). */
  card_velocity: {
    of: "card",
    unit: "tries",
    defaults: "5/h:challenge, 10/h:decline, 30/d:decline",
    measure: countTries,
    tellsOfAttack: false,
  },
  /** Declines of one card, this try counted as one; card networks fine for more than ten a day. */
  card_declines: {
    of: "card",
    unit: "tries",
    defaults: "10/d:decline, 20/30d:decline",
    measure: countDeclines,
    tellsOfAttack: false,
  },
  /** Tries in one checkout session. */
  session_velocity: {
    of: "session",
    unit: "tries",
    defaults: "4/d:challenge",
    measure: countTries,
    tellsOfAttack: false,
  },
  /** Tries from one address (IPv6: from one /64), at whichever account. */
  ip_velocity: {
    of: "address",
    unit: "tries",
    defaults: "10/h:challenge, 30/h:decline",
    measure: countTries,
    tellsOfAttack: false,
  },
  /** Tries at one account's checkout. */
  account_velocity: {
    of: "account",
    unit: "tries",
    defaults: "2000/h:challenge",
    measure: countTries,
    tellsOfAttack: true,
  },
  /** Declines in a hundred of the tries at the account's checkout whose outcome is known. */
  account_decline_ratio: {
    of: "account",
    unit: "percent",
    defaults: "20% of 50/h:challenge, 50% of 100/h:decline",
    measure: declineRatio,
    tellsOfAttack: true,
  },
  /** The amount, in multiples of the largest that was paid at the account's checkout in this currency. */
  amount_unusual: {
    of: "account",
    unit: "times",
    defaults: "3x of 20/30d:challenge",
    measure: timesTheLargest,
    tellsOfAttack: false,
  },
} as const satisfies Record<string, Rule>;

/** The public reasons. */
export type RiskReason = keyof typeof rules;

export interface Limit {
  defaults: string;
  of: Exclude<Scope, "card">;
}

/**
 * Beyond these the answer is 429. What was refused does not count, so the way is free again when the oldest try leaves
 * the window.
 */
export const limits = {
  /** Tries in one checkout session. */
  session_tries: { defaults: "10/h", of: "session" },
  /** Tries from one address (IPv6: from one /64), at whichever account. */
  ip_tries: { defaults: "60/h", of: "address" },
  /** Tries at one account: those at its checkout, and its renewals, each apart. */
  account_tries: { defaults: "10000/h", of: "account" },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;
