/**
 * Determines what a transStatus means for the payment. One function reads the message and another one decides. Sources:
 * EMV 3DS 2.2.0 and 2.3.1, Table A.1 (transStatus, challengeCancel, transStatusReason).
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { TransStatus } from "@oriel/protocol/threeds";
import type { Config } from "../../platform/config.ts";
import type { Row, ThreeDSResult } from "../../platform/storage/tables.ts";

/** The fields of an ARes or RReq that determine the outcome. */
export interface FinalMessage {
  transStatus: TransStatus;
  transStatusReason?: string | undefined;
  challengeCancel?: string | undefined;
}

/**
 * Reads the outcome of a validated message.
 *
 * A cancellation may arrive as U or N, so `challengeCancel` is checked first. C and D are not final, so the payment
 * must not continue on them. The same applies to a challenge that ended in an error (06 and 07, and 09 and 10 in
 * 2.3.1). The browser that delivers the CReq can cause such errors, which would let a customer disable 3-D Secure.
 */
export function readResult({ transStatus, transStatusReason = "", challengeCancel = "" }: FinalMessage): ThreeDSResult {
  if (transStatus === "Y") return "authenticated";
  if (transStatus === "A") return "attempted";
  if (challengeCancel === "01") return "canceled";
  // The ACS or the decoupled authentication timed out, or the CReq never came.
  if (["03", "04", "05"].includes(challengeCancel) || ["14", "24"].includes(transStatusReason)) return "timed_out";
  switch (transStatus) {
    case "R":
      return "rejected";
    case "N":
      return "failed";
    case "U":
      return challengeCancel === "" ? "unavailable" : "protocol_error";
    case "I":
      return "exempted";
    case "C":
    case "D":
      return "protocol_error";
  }
}

/**
 * Reads an Erro. 4xx means that a system on the issuer's side is down or slow. Anything else means that our request was
 * rejected. Parts of that request come from the customer's browser, so continuing without 3-D Secure would let a
 * customer disable it.
 */
export function readError(errorCode: string): ThreeDSResult {
  return /^4\d\d$/.test(errorCode) ? "unavailable" : "protocol_error";
}

export interface Judged {
  /** The operator's policy for payments whose authentication is unavailable. */
  policy: Config["threeDSecure"];
  transStatusReason?: string | null;
}

/**
 * Decides whether the payment may be authorized. If 3-D Secure was unavailable, the payment continues without a
 * liability shift, unless the operator's policy is strict. A card that isn't enrolled is charged under both policies.
 */
export function judge(
  result: ThreeDSResult,
  { policy, transStatusReason = null }: Judged,
): { ok: true } | { ok: false; declineCode: DeclineCode } {
  switch (result) {
    case "authenticated":
    case "attempted":
    case "exempted":
    case "not_supported":
      return { ok: true };
    case "unavailable":
      return policy === "standard" ? { ok: true } : { ok: false, declineCode: "authentication_unavailable" };
    case "failed":
      return { ok: false, declineCode: cardProblems.get(transStatusReason) ?? "authentication_failed" };
    case "rejected":
      return { ok: false, declineCode: cardProblems.get(transStatusReason) ?? "authentication_rejected" };
    case "canceled":
      return { ok: false, declineCode: "authentication_canceled" };
    case "timed_out":
      return { ok: false, declineCode: "authentication_timed_out" };
    case "protocol_error":
      return { ok: false, declineCode: "authentication_unavailable" };
  }
}

/** Reasons that concern the card, by transStatusReason. */
const cardProblems: ReadonlyMap<string | null, DeclineCode> = new Map([
  ["05", "expired_card"],
  ["06", "invalid_number"],
  ["08", "invalid_number"], // the issuer has no record of the card
  ["10", "stolen_card"],
]);

/** Whether the issuer gave proof that the cardholder was authenticated, or that authentication was attempted. */
export function isProved(result: ThreeDSResult | null): boolean {
  return result === "authenticated" || result === "attempted";
}

/** What 3-D Secure proved. `flow` is null if it was frictionless. */
export type Proof = { [K in "result" | "flow"]: Row<"authentication">[K] | null };

/** Whether the cardholder was challenged, and passed the challenge. Issuers also accept stolen cards without one. */
export function isChallengePassed({ result, flow }: Proof): boolean {
  return result === "authenticated" && flow !== null;
}
