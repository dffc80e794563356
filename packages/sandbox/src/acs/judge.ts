/** Pure functions that evaluate a cardholder's input and decide what the RReq says. */
import { authenticationTypeOf } from "../directory-server/respond-to-areq.ts";
import type { ChallengePlan } from "../three-d-secure.ts";
import type { Proofs, Result } from "./result.ts";

export type Judgement = "right" | "wrong" | "failed" | "canceled";

const rightCodes: readonly string[] = ["111111", "1234", "password", "Checkout1!"];
const failingCode = "222222";
/** Stands for a Cancel button, which some banks' pages have. */
const cancelingCode = "333333";

/** The pictures on the two choice pages. */
export const pictures = ["lighthouse", "bicycle", "teapot", "umbrella"] as const;
const rightPictures = { single_select: ["lighthouse"], multi_select: ["lighthouse", "teapot"] } as const;

/** @param given - The code or the choices that the cardholder entered. */
export function judge(page: ChallengePlan["page"], given: readonly string[]): Judgement {
  if (page === "single_select" || page === "multi_select") {
    const right: readonly string[] = rightPictures[page];
    return given.length === right.length && right.every((picture) => given.includes(picture)) ? "right" : "wrong";
  }
  const [code = ""] = given;
  if (code === failingCode) return "failed";
  if (code === cancelingCode) return "canceled";
  return rightCodes.includes(code) ? "right" : "wrong";
}

export type Ending = "right" | "failed" | "too many attempts" | "canceled" | "idle" | "never opened";

/** Returns undefined if the card's ACS reports nothing. */
export function resultOf(ending: Ending, plan: ChallengePlan, proofs: Proofs): Result | undefined {
  if (plan.reports === "nothing") return undefined;
  const authenticationType = authenticationTypeOf(plan);
  const failed: Result = { transStatus: "N", transStatusReason: "01", authenticationType };
  switch (ending) {
    case "right":
      return plan.reports === "N" ? failed : reportedResult(plan.reports, authenticationType, proofs);
    case "failed":
      return failed;
    case "too many attempts":
      return { ...failed, transStatusReason: "19" };
    case "canceled":
      return { transStatus: "U", transStatusReason: "01", challengeCancel: "01" };
    case "idle":
      return { transStatus: "U", transStatusReason: "14", challengeCancel: "04" };
    case "never opened":
      return { transStatus: "U", transStatusReason: "14", challengeCancel: "05" };
  }
}

function reportedResult(transStatus: "Y" | "A" | "U", authenticationType: string, proofs: Proofs): Result {
  if (transStatus === "U") return { transStatus, transStatusReason: "22" }; // a technical issue
  return { transStatus, authenticationType, ...proofs[transStatus] };
}
