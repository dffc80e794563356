/** The result of an authentication that wasn't decided immediately, as the RReq reports it to the 3DS server. */
import type { MessageVersion, RReq } from "@oriel/protocol/threeds";
import type { Ids } from "../directory-server/respond-to-areq.ts";

/** What identifies the transaction in the RReq. */
export interface Transaction {
  ids: Ids;
  messageVersion: MessageVersion;
  messageCategory: RReq["messageCategory"];
  /** URL that the RReq is sent to. */
  threeDSServerURL: string;
}

export type Result = Pick<
  RReq,
  "transStatus" | "transStatusReason" | "challengeCancel" | "eci" | "authenticationValue" | "authenticationType"
>;

/** Proofs of authentication and of attempted authentication. */
export type Proofs = Record<"Y" | "A", Required<Pick<RReq, "eci" | "authenticationValue">>>;

/** Reports a result. Resolves to true once the RRes has arrived. Never rejects. */
export type Report = (transaction: Transaction, result: Result, tries: number) => Promise<boolean>;

/** @param tries - How often the cardholder tried to authenticate. */
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
