/**
 * What a transStatus means for the payment. One function reads the message, one decides.
 * Sources: EMV 3DS 2.2.0 and 2.3.1, Table A.1 (transStatus, challengeCancel, transStatusReason).
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { TransStatus } from "@oriel/protocol/threeds";
import type { Config } from "../../platform/config.ts";
import type { ThreeDSResult } from "../../platform/storage/tables.ts";

/** The parts of an ARes or an RReq that say how it ended. */
export interface FinalMessage {
  transStatus: TransStatus;
  transStatusReason?: string | undefined;
  challengeCancel?: string | undefined;
}

/**
 * How an authentication ended. The message was checked to have what its status needs. A cancellation may arrive as U or
 * as N, so `challengeCancel` is looked at first; C and D are no end, and nobody is let through on them. Nor on a
 * challenge that an error broke off (06, 07, and 09 and 10 of 2.3.1): the browser that brings the CReq can see to that,
 * and a customer could switch 3-D Secure off.
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
 * What an Erro means. 4xx says that somebody on the bank's side is down or slow. Anything else says that our request
 * was refused, and parts of it came from the customer's browser: going on without 3-D Secure then would let a customer
 * switch it off.
 */
export function readError(errorCode: string): ThreeDSResult {
  return /^4\d\d$/.test(errorCode) ? "unavailable" : "protocol_error";
}

export interface Judged {
  /** The operator's, for when the bank could not say. */
  policy: Config["threeDSecure"];
  transStatusReason?: string | null;
}

/**
 * May the bank be asked for the money, and if not, why not. Where 3-D Secure could not be had, the charge goes on
 * without its liability shift, unless the operator is strict. A card that takes no part is charged under either policy.
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

/** Reasons that are about the card, by transStatusReason. */
const cardProblems: ReadonlyMap<string | null, DeclineCode> = new Map([
  ["05", "expired_card"],
  ["06", "invalid_number"],
  ["08", "invalid_number"], // no card record
  ["10", "stolen_card"],
]);

/** Whether the issuer gave a proof that it was the cardholder, or that it was asked. */
export function isProved(result: ThreeDSResult | null): boolean {
  return result === "authenticated" || result === "attempted";
}
