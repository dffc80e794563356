/**
 * The issuer's response to an AReq: the card's decision from `three-d-secure.ts`, in the version of the request. The
 * functions are pure: they're passed the IDs and proofs.
 */
import { cardBrand } from "@oriel/protocol/card";
import type { ARes, Erro } from "@oriel/protocol/threeds";
import type { BankSecret, ProofKind } from "../bank-secret.ts";
import { isEnrolled } from "../card-ranges.ts";
import { threeDSecureOf } from "../cards.ts";
import { mandatedChallenge, type ChallengePlan } from "../three-d-secure.ts";
import { erro } from "./erro.ts";
import type { ReadAReq } from "./read-message.ts";

/** Transaction IDs that the directory server and the ACS assigned. */
export interface Ids {
  threeDSServerTransID: string;
  acsTransID: string;
  dsTransID: string;
}

export interface Verdict {
  response: ARes | Erro;
  /** For transStatus C. */
  challenge?: ChallengePlan;
}

export function respondToAReq(
  areq: ReadAReq,
  ids: Ids,
  { origin, secret }: { origin: string; secret: BankSecret },
): Verdict {
  const { acctNumber: number, messageVersion, threeDSServerTransID } = areq;
  const said = (fields: Pick<ARes, "transStatus"> & Partial<ARes>): Verdict => ({
    response: { messageType: "ARes", messageVersion, ...ids, ...fields },
  });
  const cardholderInfo = (text: string) => ({ cardholderInfo: messageVersion === "2.2.0" ? text : { text } });
  const proven = (transStatus: "Y" | "A") => proofOf(transStatus, number, ids.dsTransID, "frictionless", secret);
  const challenged = (challenge: ChallengePlan): Verdict => ({
    ...said({
      transStatus: "C",
      acsURL: `${origin}/acs/challenge`,
      acsChallengeMandated: isMandated(areq) ? "Y" : "N",
      authenticationType: authenticationTypeOf(challenge),
    }),
    challenge,
  });

  const decision = threeDSecureOf(number)?.decision;
  if (!isEnrolled(number, messageVersion)) {
    // The cardholder isn't enrolled.
    if (decision === undefined) return said({ transStatus: "U", transStatusReason: "13" });
    const detail = "messageVersion: the card's range doesn't list this version.";
    return { response: erro({ code: "102", detail, version: messageVersion, about: "AReq", threeDSServerTransID }) };
  }
  switch (decision?.says) {
    case undefined: // 08: no such card
      return said({
        transStatus: "N",
        transStatusReason: "08",
        ...cardholderInfo("Your bank doesn't recognize this card. Please check the number."),
      });
    case "Y":
      return isMandated(areq) ? challenged(mandatedChallenge) : said({ transStatus: "Y", ...proven("Y") });
    case "I":
      if (isMandated(areq)) return challenged(mandatedChallenge);
      return wantsNoChallenge(areq) ? said({ transStatus: "I" }) : said({ transStatus: "Y", ...proven("Y") });
    case "A":
      return said({ transStatus: "A", ...proven("A") });
    case "N":
    case "R":
    case "U":
      return said({
        transStatus: decision.says,
        transStatusReason: decision.reason,
        ...(decision.cardholderInfo === undefined ? {} : cardholderInfo(decision.cardholderInfo)),
      });
    case "C":
      return challenged(decision.challenge);
    case "D":
      // The ACS requests it, but the 3DS server doesn't support it.
      if (!allowsDecoupled(areq)) return said({ transStatus: "U", transStatusReason: "23" });
      return said({
        transStatus: "D",
        acsDecConInd: "Y",
        authenticationType: "04",
        ...cardholderInfo("Please approve the payment in the Test Bank app."),
      });
    case "Erro":
      return {
        response: erro({
          code: decision.errorCode,
          detail: decision.errorDetail,
          version: messageVersion,
          about: "AReq",
          threeDSServerTransID,
        }),
      };
  }
}

/**
 * ECI and authentication value: 05 and 02 mean authenticated, 06 and 01 mean attempted. The second value of each pair
 * is Mastercard's.
 */
export function proofOf(
  transStatus: "Y" | "A",
  number: string,
  dsTransID: string,
  kind: ProofKind,
  secret: BankSecret,
): { eci: string; authenticationValue: string } {
  const [eci, ofMastercard] = transStatus === "Y" ? ["05", "02"] : ["06", "01"];
  const isMastercard = cardBrand(number) === "mastercard";
  return {
    eci: isMastercard ? ofMastercard : eci,
    authenticationValue: secret.authenticationValue(dsTransID, number, kind),
  };
}

/** 02: dynamic, such as a code by text message. 03: out of band. */
export function authenticationTypeOf({ page }: ChallengePlan): "02" | "03" {
  return page === "app" ? "03" : "02";
}

function isMandated(areq: ReadAReq): boolean {
  return indicatorsOf(areq).some((indicator) => indicator === "04" || indicator === "13");
}

/**
 * With 05 to 07, no challenge is requested, because the risk was already assessed, the data is informational, or the
 * customer was already authenticated.
 */
function wantsNoChallenge(areq: ReadAReq): boolean {
  return indicatorsOf(areq).some((indicator) => ["05", "06", "07"].includes(indicator));
}

function indicatorsOf({ threeDSRequestorChallengeInd: value }: ReadAReq): readonly string[] {
  return typeof value === "string" ? [value] : value;
}

/** 2.2.0 has no decoupled authentication as a fallback, and this bank offers it in 2.3.1 only. */
function allowsDecoupled({ messageVersion, threeDSRequestorDecReqInd: value }: ReadAReq): boolean {
  return messageVersion === "2.3.1" && value !== undefined && value !== "N";
}
