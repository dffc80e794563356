/**
 * The risk rules, and the limits on card tries. `admission.ts` limits payments by new customers. `docs/risk.md`
 * documents the same list for merchants and operators.
 *
 * A rule measures a value over a window that ends now. If a step is exceeded, the payment requires a challenge or is
 * declined before authorization, and the rule's name becomes the public reason. A limit refuses the request before the
 * card is read.
 *
 * Legitimate customers must stay below every step: three retries after a typo, in one session, with one card, from one
 * IP address.
 */
import { countDeclines, countTries, declineRatio, timesTheLargest, type Measure, type Scope } from "./measures.ts";

export interface Rule {
  /**
   * Which card tries count together. If the customer isn't present, only the rules about the card apply. See "Renewals"
   * in `docs/risk.md`.
   */
  of: Scope;
  /** The unit of the number in a step. */
  unit: "tries" | "percent" | "times";
  /** Steps in the syntax of `settings.ts`. */
  defaults: string;
  measure: Measure;
  /** Doesn't apply to returning customers, because it measures what others do. */
  exemptsReturning?: boolean;
}

export const rules = {
  /** Card tries with one card, at any account (in test mode, at this account). */
  card_velocity: {
    of: "card",
    unit: "tries",
    defaults: "5/h:challenge, 10/h:decline, 30/d:decline",
    measure: countTries,
  },
  /** Declines of one card, counting this card try as declined. Card networks fine merchants for more than ten a day. */
  card_declines: {
    of: "card",
    unit: "tries",
    defaults: "10/d:decline, 20/30d:decline",
    measure: countDeclines,
  },
  /** Card tries in one checkout session. */
  session_velocity: {
    of: "session",
    unit: "tries",
    defaults: "4/d:challenge",
    measure: countTries,
  },
  /** Card tries from one IP address (for IPv6, one /64), at any account. */
  ip_velocity: {
    of: "address",
    unit: "tries",
    defaults: "10/h:challenge, 30/h:decline",
    measure: countTries,
  },
  /** Card tries at one account's checkout. */
  account_velocity: {
    of: "account",
    unit: "tries",
    defaults: "2000/h:challenge",
    measure: countTries,
    exemptsReturning: true,
  },
  /** The percentage of declines among the card tries with a known outcome at the account's checkout. */
  account_decline_ratio: {
    of: "account",
    unit: "percent",
    defaults: "20% of 50/h:challenge, 50% of 100/h:decline",
    measure: declineRatio,
    exemptsReturning: true,
  },
  /** The amount as a multiple of the largest amount paid at the account's checkout in this currency. */
  amount_unusual: {
    of: "account",
    unit: "times",
    defaults: "3x of 20/30d:challenge",
    measure: timesTheLargest,
  },
} as const satisfies Record<string, Rule>;

/** The public names of reasons. */
export type RiskReason = keyof typeof rules;

export interface Limit {
  defaults: string;
  of: Exclude<Scope, "card">;
}

/**
 * Requests over a limit get a 429 response. Refused requests don't count, so the next one may pass when the oldest card
 * try leaves the window.
 */
export const limits = {
  /** Card tries in one checkout session. */
  session_tries: { defaults: "10/h", of: "session" },
  /** Card tries from one IP address (for IPv6, one /64), at any account. */
  ip_tries: { defaults: "60/h", of: "address" },
  /** Card tries at one account, with its checkout and its renewals counted separately. */
  account_tries: { defaults: "10000/h", of: "account" },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;
