/**
 * What a transStatus means for the payment. One function reads the message, one decides.
 * Sources: EMV 3DS 2.2.0 Table A.1 (transStatus, challengeCancel, transStatusReason).
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { TransStatus } from "@oriel/protocol/threeds";
import type { ThreeDSResult } from "../storage/tables.ts";

/** The parts of an ARes or an RReq that say how it ended. */
export interface FinalMessage {
  transStatus: TransStatus;
  transStatusReason?: string | undefined;
  challengeCancel?: string | undefined;
  authenticationValue?: string | undefined;
}

/**
 * How an authentication ended. A success without its proof is no success. A cancellation may arrive as U or as N, so
 * `challengeCancel` is looked at first; an unknown status is "unavailable", never a success.
 */
export function readResult(message: FinalMessage): ThreeDSResult {
  const { transStatus, transStatusReason, challengeCancel, authenticationValue } = message;
  if (transStatus === "Y" || transStatus === "A") {
    if (authenticationValue === undefined) return "unavailable";
    return transStatus === "Y" ? "authenticated" : "attempted";
  }
  if (challengeCancel === "01") return "canceled";
  if (challengeCancel === "04" || challengeCancel === "05" || transStatusReason === "14") return "timed_out";
  if (transStatus === "R") return "rejected";
  if (transStatus === "N") return "failed";
  return "unavailable";
}

/**
 * What an Erro means. 4xx says that somebody on the bank's side is down or slow. Anything else says that our request was refused, and parts of
 * it came from the customer's browser: going on without 3-D Secure then would let a customer switch it off.
 */
export function readError(errorCode: string): ThreeDSResult {
  return /^4\d\d$/.test(errorCode) ? "unavailable" : "protocol_error";
}

/** May the bank be asked for the money, and if not, why not. Where 3-D Secure could not be had, the charge goes on without its liability shift. */
export function judge(result: ThreeDSResult): { ok: true } | { ok: false; declineCode: DeclineCode } {
  switch (result) {
    case "authenticated":
    case "attempted":
    case "unavailable":
    case "not_supported":
      return { ok: true };
    case "failed":
      return { ok: false, declineCode: "authentication_failed" };
    case "rejected":
      return { ok: false, declineCode: "authentication_rejected" };
    case "canceled":
      return { ok: false, declineCode: "authentication_canceled" };
    case "timed_out":
      return { ok: false, declineCode: "authentication_timed_out" };
    case "protocol_error":
      return { ok: false, declineCode: "authentication_unavailable" };
  }
}
