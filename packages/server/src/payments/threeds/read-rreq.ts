/**
 * Reads and validates an RReq: the format of every field that we use, and the fields that its status requires. An
 * authentication requires a proof and a refusal requires a reason. Fields that real ACSs omit without changing the
 * meaning aren't required. Sources: EMV 3DS 2.2.0 and 2.3.1, Table B.8 and Table A.4.
 */
import { messageVersions, type MessageVersion, type RReq } from "@oriel/protocol/threeds";

/** An error as reported in an Erro message. */
export interface RReqFault {
  errorCode: "101" | "102" | "201" | "203" | "301" | "305" | "312" | "313";
  /** The names of the fields, or a sentence. */
  errorDetail: string;
}

export type RReqReading = { ok: true; message: RReq } | ({ ok: false; messageVersion?: MessageVersion } & RReqFault);

export function readRReq(body: unknown): RReqReading {
  // If the body isn't an object, it has none of these fields.
  const fields: Record<string, unknown> = { ...(body as object) };
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
  const message = { messageType: "RReq", messageVersion, ...read } as RReq; // Every field has been validated.
  const needed = missingForStatus(message);
  return needed.length > 0 ? fault("201", needed) : { ok: true, message };
}

/**
 * Other systems may use uppercase (RFC 9562, section 4). Later messages must repeat an ID exactly as first received.
 */
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const twoDigits = /^\d\d$/;

/** C, D, I and S are missing because they aren't final. */
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

/** Returns the missing fields that a status requires. After a cancellation, `challengeCancel` is reason enough. */
function missingForStatus(message: RReq): string[] {
  const { transStatus, messageVersion, messageCategory, challengeCancel } = message;
  const isProof = transStatus === "Y" || transStatus === "A";
  // A proof is required only for payments.
  if (isProof && message.authenticationValue === undefined && messageCategory === "01") return ["authenticationValue"];
  if (challengeCancel !== undefined) return [];
  if (!isProof && message.transStatusReason === undefined) return ["transStatusReason"];
  const isJudged = transStatus === "Y" || transStatus === "N";
  return messageVersion === "2.3.1" && isJudged && message.authenticationType === undefined
    ? ["authenticationType"]
    : [];
}
