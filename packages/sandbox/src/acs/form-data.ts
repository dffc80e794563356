/**
 * Reads what a browser posts to the ACS: base64url-encoded JSON, with or without padding, from any sender. Error
 * messages never contain any of it.
 */
import {
  challengeWindowSizeCodes,
  messageVersions,
  type ChallengeWindowSize,
  type CReq,
} from "@oriel/protocol/threeds";

/** Required contents of the 3DS Method form. */
export interface MethodRequest {
  threeDSServerTransID: string;
  threeDSMethodNotificationURL: string;
}

/** Returns null if the form is incomplete or malformed. */
export function readMethodData(encoded: string): MethodRequest | null {
  const data = decode(encoded);
  if (data === null) return null;
  const { threeDSServerTransID, threeDSMethodNotificationURL } = data;
  if (!isUuid(threeDSServerTransID) || !isWebAddress(threeDSMethodNotificationURL, 256)) return null;
  return { threeDSServerTransID, threeDSMethodNotificationURL };
}

/** Returns the CReq, or the error code (Table A.4) for refusing it. */
export function readCReq(encoded: string): CReq | { errorCode: "101" | "102" | "201" | "203" } {
  const data = decode(encoded);
  if (data === null || data["messageType"] !== "CReq") return { errorCode: "101" };
  const { messageVersion: version, threeDSServerTransID, acsTransID, challengeWindowSize } = data;
  if (
    [version, threeDSServerTransID, acsTransID, challengeWindowSize].some(
      (value) => value === undefined || value === null,
    )
  ) {
    return { errorCode: "201" };
  }
  const messageVersion = messageVersions.find((spoken) => spoken === version);
  if (messageVersion === undefined) return { errorCode: "102" };
  if (!isUuid(threeDSServerTransID) || !isUuid(acsTransID) || !isWindowSize(challengeWindowSize))
    return { errorCode: "203" };
  return { messageType: "CReq", messageVersion, threeDSServerTransID, acsTransID, challengeWindowSize };
}

/** Encodes JSON as base64url without padding, like every form in EMV 3DS. */
export function encode(message: object): string {
  return Buffer.from(JSON.stringify(message)).toString("base64url");
}

export function isUuid(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

/** Whether this is an http or https URL without credentials, to which a browser or the bank may be sent. */
export function isWebAddress(value: unknown, maxLength: number): value is string {
  if (typeof value !== "string" || value.length > maxLength || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === "https:" || protocol === "http:") && username === "" && password === "";
}

function decode(encoded: string): Record<string, unknown> | null {
  if (!/^[0-9A-Za-z_+/-]{1,8000}={0,2}$/.test(encoded)) return null;
  try {
    const data: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(encoded, "base64url")),
    );
    return typeof data === "object" && data !== null && !Array.isArray(data) ? { ...data } : null;
  } catch {
    return null;
  }
}

function isWindowSize(value: unknown): value is ChallengeWindowSize {
  return challengeWindowSizeCodes.some((code) => code === value);
}
