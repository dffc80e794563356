/**
 * Builds the responses about an authentication. Source of the fields: Adyen's OpenAPI documents `CheckoutService-v71`
 * and `-v72`.
 */
import type { ARes, RReq } from "@oriel/protocol/threeds";
import type { Action, AuthenticationResponse } from "./authentication-messages.ts";
import type { Amount, Reply } from "./messages.ts";

/** The authentication that a final response is about. */
export interface Subject {
  pspReference: string;
  merchantReference: string;
  amount: Amount;
}

export type AuthenticationReply = Reply<AuthenticationResponse>;

/** @param token - What the browser needs. */
export function actionReply(
  subtype: Action["subtype"],
  tokens: Pick<Action, "paymentData" | "authorisationToken">,
  token: Record<string, string>,
): AuthenticationReply {
  const encoded = Buffer.from(JSON.stringify(token)).toString("base64");
  const action = { type: "threeDS2", subtype, paymentMethodType: "scheme", ...tokens, token: encoded } as const;
  return {
    status: 200,
    body: { resultCode: subtype === "fingerprint" ? "IdentifyShopper" : "ChallengeShopper", action },
  };
}

/** @param result - The ARes if there was no challenge. */
export function authenticationFinished(
  subject: Subject,
  ares: ARes,
  result: ARes | RReq,
  now: Date,
): AuthenticationReply {
  const { pspReference, merchantReference } = subject;
  const { threeDSServerTransID, acsTransID, dsTransID, messageVersion } = ares;
  const { cardholderInfo } = ares;
  const cardHolderInfo = typeof cardholderInfo === "object" ? cardholderInfo.text : cardholderInfo;
  const ids = { threeDSServerTransID, dsTransID, messageVersion };
  return {
    status: 200,
    body: {
      resultCode: "AuthenticationFinished",
      pspReference,
      merchantReference,
      threeDS2ResponseData: given({
        ...ids,
        acsTransID,
        transStatus: ares.transStatus,
        transStatusReason: ares.transStatusReason,
        acsChallengeMandated: ares.acsChallengeMandated,
        authenticationType: ares.authenticationType,
        cardHolderInfo,
      }),
      threeDS2Result: given({
        ...ids,
        transStatus: result.transStatus,
        transStatusReason: result.transStatusReason,
        eci: result.eci,
        authenticationValue: result.authenticationValue,
        challengeCancel: "challengeCancel" in result ? result.challengeCancel : undefined,
        timestamp: now.toISOString(),
      }),
      additionalData: given({ cardHolderInfo }),
    },
  };
}

export function authenticationRefused(
  { pspReference, merchantReference, amount }: Subject,
  refusalReason: string,
  refusalReasonCode: string,
): AuthenticationReply {
  const refusal = { resultCode: "Refused", refusalReason, refusalReasonCode } as const;
  return { status: 200, body: { ...refusal, pspReference, merchantReference, amount } };
}

/** Leaves out absent fields. */
function given(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
