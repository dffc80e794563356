/**
 * The 3-D Secure behavior of the bank's cards: one row for each scenario with published numbers
 * (`@oriel/protocol/test-cards`). A row fully defines a card's behavior, and the directory server and the ACS follow
 * it. This file contains only data.
 *
 * ```
 * enrolment  supported versions, and what the 3DS Method does                  without one it doesn't take part
 * decision   the transStatus of the ARes, or an Erro instead
 * challenge  (after C) what the cardholder sees, the RReq after correct input, how the browser returns
 * account    the acquirer's response                                            approved by default
 * ```
 * Every card that supports challenges requires one if it's mandated (04) or the issuer requests it (13). Cards that
 * otherwise return Y or I then use a code.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import { messageVersions, type MessageVersion } from "@oriel/protocol/threeds";
import type { ErroCode } from "./directory-server/erro.ts";

/** How a card's range takes part. */
export interface Enrolment {
  versions: readonly MessageVersion[];
  /** `silent`: the page loads and never posts back. `unframeable`: the page forbids framing. */
  method: "runs" | "silent" | "unframeable" | "none";
}

export interface ChallengePlan {
  /**
   * What the browser gets for its CReq. `passes` and `fails` show nothing, and `app` waits for the bank's app.
   * `nothing` sends no response and accepts no CReq. `cookies` checks that a cookie comes back, and `top` tries to
   * leave its iframe. The pages from `code` on ask for a code.
   */
  page:
    | "passes"
    | "fails"
    | "app"
    | "single_select"
    | "multi_select"
    | "nothing"
    | "code"
    | "unframeable"
    | "cookies"
    | "top"
    | "long";
  /** What the RReq says after correct input. `nothing`: no RReq is sent, whatever the input. */
  reports: "Y" | "A" | "U" | "N" | "nothing";
  /**
   * How the browser returns: with a CRes, with two, with a CRes that always says Y, with an Erro instead, or not at
   * all.
   */
  back: "cres" | "cres_twice" | "cres_lies" | "erro" | "never";
  /** Times out after one minute without input instead of ten. */
  isImpatient: boolean;
}

export type IssuerDecision =
  | { says: "Y" }
  /** I (informational) if the AReq requested no challenge (05, 06, 07), otherwise Y. */
  | { says: "I" }
  | { says: "A" }
  | { says: "N" | "R" | "U"; reason: string; cardholderInfo?: string }
  | { says: "C"; challenge: ChallengePlan }
  /** Decoupled if the AReq allows it, otherwise U. */
  | { says: "D" }
  | { says: "Erro"; errorCode: ErroCode; errorDetail: string };

export type ThreeDSecureCard = {
  /** `needs challenge`: declined with `authentication_required` without the proof of a challenge. */
  account?: DeclineCode | "needs challenge";
} & ({ enrolment: Enrolment; decision: IssuerDecision } | { enrolment?: never });

const full: Enrolment = { versions: messageVersions, method: "runs" };
const withoutMethod: Enrolment = { versions: messageVersions, method: "none" };

const yes: IssuerDecision = { says: "Y" };
const code: ChallengePlan = { page: "code", reports: "Y", back: "cres", isImpatient: false };
const challenge = (changes: Partial<ChallengePlan> = {}): IssuerDecision => ({
  says: "C",
  challenge: { ...code, ...changes },
});

/** Challenge page of a frictionless card when it has to challenge. */
export const mandatedChallenge = code;

// Reasons (Table A.1, transStatusReason): 01 authentication failed, 11 suspected fraud, 22 technical issue at the ACS.
export const threeDSecure: Readonly<Record<ThreeDSecureScenario, ThreeDSecureCard>> = {
  not_enrolled: {},
  network_not_supported: {},

  frictionless: { enrolment: full, decision: yes },
  frictionless_without_method: { enrolment: withoutMethod, decision: yes },
  method_timeout: { enrolment: { versions: messageVersions, method: "silent" }, decision: yes },
  method_refuses_framing: { enrolment: { versions: messageVersions, method: "unframeable" }, decision: yes },
  attempted: { enrolment: withoutMethod, decision: { says: "A" } },
  not_authenticated: {
    enrolment: withoutMethod,
    decision: {
      says: "N",
      reason: "01",
      cardholderInfo: "Test Bank couldn't confirm that it's you. Please call the number on your card.",
    },
  },
  rejected: { enrolment: withoutMethod, decision: { says: "R", reason: "11" } },
  unavailable: { enrolment: withoutMethod, decision: { says: "U", reason: "22" } },
  informational: { enrolment: withoutMethod, decision: { says: "I" } },
  directory_server_timeout: { enrolment: withoutMethod, decision: erro("402", "The ACS did not respond in time.") },
  lookup_error: { enrolment: withoutMethod, decision: erro("404", "The ACS cannot be reached.") },
  request_refused: {
    enrolment: withoutMethod,
    decision: erro("203", "merchantName"),
  },

  challenge: { enrolment: full, decision: challenge() },
  challenge_passes: { enrolment: full, decision: challenge({ page: "passes" }) },
  challenge_fails: { enrolment: full, decision: challenge({ page: "fails" }) },
  challenge_then_declined: { enrolment: full, decision: challenge(), account: "generic_decline" },
  challenge_then_insufficient_funds: { enrolment: full, decision: challenge(), account: "insufficient_funds" },
  challenge_unless_set_up: { enrolment: full, decision: challenge() },
  challenge_timeout: { enrolment: full, decision: challenge({ isImpatient: true }) },
  challenge_never_loads: { enrolment: full, decision: challenge({ page: "nothing" }) },
  challenge_refuses_framing: { enrolment: full, decision: challenge({ page: "unframeable" }) },
  challenge_answer_lost: { enrolment: full, decision: challenge({ back: "never" }) },
  challenge_answer_lies: { enrolment: full, decision: challenge({ reports: "N", back: "cres_lies" }) },
  challenge_result_missing: { enrolment: full, decision: challenge({ reports: "nothing", back: "cres_lies" }) },
  challenge_answered_twice: { enrolment: full, decision: challenge({ back: "cres_twice" }) },
  challenge_error: { enrolment: full, decision: challenge({ reports: "nothing", back: "erro" }) },
  challenge_unavailable: { enrolment: full, decision: challenge({ reports: "U" }) },
  challenge_attempted: { enrolment: full, decision: challenge({ reports: "A" }) },
  challenge_out_of_band: { enrolment: full, decision: challenge({ page: "app" }) },
  challenge_single_select: { enrolment: full, decision: challenge({ page: "single_select" }) },
  challenge_multi_select: { enrolment: full, decision: challenge({ page: "multi_select" }) },
  challenge_wants_cookies: { enrolment: full, decision: challenge({ page: "cookies" }) },
  challenge_navigates_top: { enrolment: full, decision: challenge({ page: "top" }) },
  challenge_long_page: { enrolment: full, decision: challenge({ page: "long" }) },
  decoupled: { enrolment: withoutMethod, decision: { says: "D" } },
  soft_decline: { enrolment: full, decision: yes, account: "needs challenge" },
  soft_decline_after_challenge: { enrolment: full, decision: yes, account: "authentication_required" },
  version_2_2_0: { enrolment: { versions: ["2.2.0"], method: "runs" }, decision: challenge() },
  version_2_3_1: { enrolment: { versions: ["2.3.1"], method: "runs" }, decision: challenge() },
};

function erro(errorCode: ErroCode, errorDetail: string): IssuerDecision {
  return { says: "Erro", errorCode, errorDetail };
}
