/** Why an RReq that was read is refused all the same, and how the bank is told. */
import type { Erro, MessageVersion, RReq } from "@oriel/protocol/threeds";
import type { Row } from "../../platform/storage/tables.ts";
import { messageCategoryOf } from "./authentication-request.ts";
import type { RReqFault } from "./read-rreq.ts";

/** What is known of the transaction that it names. */
export type Known = Pick<Row<"authentication">, "version" | "asked" | "acs_trans_id" | "ds_trans_id"> &
  Pick<Row<"decision">, "amount">;

/** Null for the result of a transaction in which the bank asked the customer. */
export function whyRefused(message: RReq, authentication: Known | undefined): RReqFault | null {
  // All three are the ones of the ARes, or it is another transaction's result.
  if (authentication?.acs_trans_id !== message.acsTransID || authentication.ds_trans_id !== message.dsTransID) {
    return { errorCode: "301", errorDetail: "threeDSServerTransID, acsTransID, dsTransID" };
  }
  if (authentication.version !== message.messageVersion) return { errorCode: "305", errorDetail: "messageVersion" };
  // Where nothing is paid a proof may be missing: a payment's result must not pass for one of those.
  if (message.messageCategory !== messageCategoryOf(authentication))
    return { errorCode: "305", errorDetail: "messageCategory" };
  if (authentication.asked !== null) return null;
  // The ARes was the last word of this one.
  return { errorCode: authentication.version === "2.3.1" ? "313" : "301", errorDetail: "nobody was to be asked" };
}

/** Only the first result of a transaction counts. */
export function anotherResult(messageVersion: string): RReqFault {
  const errorDetail = "another result of this transaction was received before";
  return { errorCode: messageVersion === "2.3.1" ? "312" : "305", errorDetail };
}

const descriptions: Record<RReqFault["errorCode"], string> = {
  "101": "Message Received Invalid",
  "102": "Message Version Number Not Supported",
  "201": "Required Data Element Missing",
  "203": "Format of one or more Data Elements is Invalid",
  "301": "Transaction ID Not Recognised",
  "305": "Transaction Data Not Valid",
  "312": "Duplicate Message",
  "313": "Inconsistent RReq Message",
};

/** The newest version that we know, for a message in none that we do. */
const newest: MessageVersion = "2.3.1";

/**
 * Names fields and never repeats what they held.
 *
 * @param ids those of the transaction, where the message could be read
 * @param messageVersion the one that was spoken
 */
export function erro(
  { errorCode, errorDetail }: RReqFault,
  ids: Pick<Erro, "threeDSServerTransID" | "acsTransID">,
  messageVersion: string = newest,
): Erro {
  return {
    messageType: "Erro",
    messageVersion,
    errorCode,
    errorComponent: "S",
    errorDescription: descriptions[errorCode],
    errorDetail,
    errorMessageType: "RReq",
    ...ids,
  };
}
