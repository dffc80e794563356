/** What becomes of an authentication that was not decided at once, as the RReq tells it to the merchant's side. */
import type { MessageVersion, RReq } from "@oriel/protocol/threeds";
import type { Ids } from "../directory-server/answer-areq.ts";

/** What the RReq must say of the transaction that it ends. */
export interface Transaction {
  ids: Ids;
  messageVersion: MessageVersion;
  messageCategory: RReq["messageCategory"];
  /** Where the RReq goes. */
  threeDSServerURL: string;
}

export type Result = Pick<
  RReq,
  "transStatus" | "transStatusReason" | "challengeCancel" | "eci" | "authenticationValue" | "authenticationType"
>;

/** Of authentication, and of an attempt at it. */
export type Proofs = Record<"Y" | "A", Required<Pick<RReq, "eci" | "authenticationValue">>>;

/** Tells a result. True once the RRes is there; never rejects. */
export type Report = (transaction: Transaction, result: Result, tries: number) => Promise<boolean>;

/** `tries`: how often the cardholder answered. */
export function rreqOf({ ids, messageVersion, messageCategory }: Transaction, result: Result, tries: number): RReq {
  return {
    messageType: "RReq",
    messageVersion,
    ...ids,
    messageCategory,
    ...result,
    interactionCounter: String(tries).padStart(2, "0"),
  };
}
