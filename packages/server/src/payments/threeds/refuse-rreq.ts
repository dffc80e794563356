/** Checks a valid RReq against its transaction and builds the Erro response. */
import type { Erro, MessageVersion, RReq } from "@oriel/protocol/threeds";
import type { Row } from "../../platform/storage/tables.ts";
import { messageCategoryOf } from "./authentication-request.ts";
import type { RReqFault } from "./read-rreq.ts";

/** The stored data of the transaction that an RReq names. */
export type Known = Pick<Row<"authentication">, "version" | "flow" | "acs_trans_id" | "ds_trans_id"> &
  Pick<Row<"decision">, "amount">;

/** No transaction has these IDs. */
export const unknown: RReqFault = { errorCode: "301", errorDetail: "threeDSServerTransID, acsTransID, dsTransID" };

/** @returns null if the RReq is an expected result of this transaction */
export function refuseRReq(message: RReq, authentication: Known): RReqFault | null {
  // The IDs must match those of the ARes. Otherwise the result belongs to another transaction.
  if (authentication.acs_trans_id !== message.acsTransID || authentication.ds_trans_id !== message.dsTransID)
    return unknown;
  if (authentication.version !== message.messageVersion) return { errorCode: "305", errorDetail: "messageVersion" };
  // A non-payment may lack a proof, so a payment's result must not pass as one.
  if (message.messageCategory !== messageCategoryOf(authentication))
    return { errorCode: "305", errorDetail: "messageCategory" };
  if (authentication.flow !== null) return null;
  // The ARes was final for this transaction.
  return {
    errorCode: authentication.version === "2.3.1" ? "313" : "301",
    errorDetail: "no result is expected for this transaction",
  };
}

/** Only the first result of a transaction counts. */
export function anotherResult(messageVersion: string): RReqFault {
  const errorDetail = "a different result was already received for this transaction";
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

/** The newest supported version, for messages in an unsupported version. */
const newest: MessageVersion = "2.3.1";

/**
 * Builds an Erro. It names fields but never repeats their values.
 *
 * @param ids the transaction IDs, if the message could be read
 * @param messageVersion the version of the received message
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
