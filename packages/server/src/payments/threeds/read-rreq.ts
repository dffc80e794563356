/**
 * Reads an RReq: every field that is used, each within its bounds, and what its status needs beside it. An
 * authentication needs its proof, a refusal its reason; what real ACSs leave out without changing the meaning is not
 * asked for. Sources: EMV 3DS 2.2.0 and 2.3.1, Table B.8 and Table A.4.
 */
import { messageVersions, type MessageVersion, type RReq } from "@oriel/protocol/threeds";

/** As an Erro tells it. */
export interface RReqFault {
  errorCode: "101" | "102" | "201" | "203" | "301" | "305" | "312" | "313";
  /** Names of fields, or a sentence. */
  errorDetail: string;
}

export type RReqReading = { ok: true; message: RReq } | ({ ok: false; messageVersion?: MessageVersion } & RReqFault);

export function readRReq(body: unknown): RReqReading {
  const fields: Record<string, unknown> = { ...(body as object) }; // what isn't an object has none of these fields
  if (fields["messageType"] !== "RReq") return { ok: false, errorCode: "101", errorDetail: "messageType" };
  const messageVersion = messageVersions.find((known) => known === fields["messageVersion"]);
  if (messageVersion === undefined) return { ok: false, errorCode: "102", errorDetail: messageVersions.join(", ") };
  const fault = (errorCode: RReqFault["errorCode"], names: string[]): RReqReading => {
    return { ok: false, messageVersion, errorCode, errorDetail: names.join(", ") };
  };

  const isGiven = (name: string) => fields[name] !== undefined && fields[name] !== null;
  const missing = Object.keys(required).filter((name) => !isGiven(name));
  if (missing.length > 0) return fault("201", missing);
  const malformed = Object.entries({ ...required, ...optional }).flatMap(([name, form]) => {
    const value = fields[name];
    return !isGiven(name) || (typeof value === "string" && form.test(value)) ? [] : [name];
  });
  if (malformed.length > 0) return fault("203", malformed);

  const names = [...Object.keys(required), ...Object.keys(optional)].filter(isGiven);
  const read = Object.fromEntries(names.map((name) => [name, fields[name]]));
  const message = { messageType: "RReq", messageVersion, ...read } as RReq; // every field of it was looked at
  const needed = missingBeside(message);
  return needed.length > 0 ? fault("201", needed) : { ok: true, message };
}

/** Other companies' may be in capitals (RFC 9562, 4); each is compared as it was first told. */
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const twoDigits = /^\d\d$/;

/** C, D, I and S are not among the statuses: they are no end. */
const required = {
  threeDSServerTransID: uuid,
  acsTransID: uuid,
  dsTransID: uuid,
  messageCategory: /^0[12]$/,
  transStatus: /^[YANUR]$/,
};

const optional = {
  transStatusReason: twoDigits,
  authenticationType: twoDigits,
  authenticationValue: /^[A-Za-z0-9+/=]{1,4000}$/,
  eci: twoDigits,
  challengeCancel: twoDigits,
  interactionCounter: twoDigits,
};

/** What is missing beside a status. Where it was canceled, `challengeCancel` says why, and nothing more is needed. */
function missingBeside(message: RReq): string[] {
  const { transStatus, messageVersion, messageCategory, challengeCancel } = message;
  const isProof = transStatus === "Y" || transStatus === "A";
  // Where nothing is paid there need be no proof.
  if (isProof && message.authenticationValue === undefined && messageCategory === "01") return ["authenticationValue"];
  if (challengeCancel !== undefined) return [];
  if (!isProof && message.transStatusReason === undefined) return ["transStatusReason"];
  const isJudged = transStatus === "Y" || transStatus === "N";
  return messageVersion === "2.3.1" && isJudged && message.authenticationType === undefined
    ? ["authenticationType"]
    : [];
}
