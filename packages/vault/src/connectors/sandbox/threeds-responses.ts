/**
 * Reads a directory server's responses: card ranges and results of authentication requests. They come from another
 * company and decide whether money moves, so a response with an unknown status or missing fields is invalid. Sources:
 * EMV 3DS 2.2.0 and 2.3.1, Annex A.
 */
import { messageVersions, transStatuses, type AReq, type Erro, type MessageVersion } from "@oriel/protocol/threeds";
import { fieldsOf, isText, isTwoDigits } from "../fields.ts";
import type { AuthenticationResponse } from "../three-ds-server.ts";

/**
 * A range of card numbers that are enrolled in 3-D Secure, from a message of any version. `start` and `end` are
 * inclusive and have the same length.
 */
export interface CardRange {
  start: string;
  end: string;
  /** The versions that we also support, oldest first. At least one. */
  versions: { version: MessageVersion; methodUrl: string | null }[];
}

/**
 * Reads card ranges of both versions. Invalid ranges are skipped, so that one doesn't hide the others. If all ranges
 * are invalid, the result is null, because an empty table would mean that no card is enrolled.
 */
export function readCardRanges(body: unknown): CardRange[] | null {
  const { messageType, cardRangeData } = fieldsOf(body);
  if (messageType !== "PRes" || !Array.isArray(cardRangeData)) return null;
  const ranges = cardRangeData.flatMap((entry: unknown) =>
    "ranges" in fieldsOf(entry) ? readRanges231(entry) : readRange220(entry),
  );
  return ranges.length === 0 && cardRangeData.length > 0 ? null : ranges;
}

/** Reads one range. It has a first and a last version, and one method URL for all. */
function readRange220(entry: unknown): CardRange[] {
  const {
    startRange: start,
    endRange: end,
    acsStartProtocolVersion,
    acsEndProtocolVersion,
    threeDSMethodURL,
  } = fieldsOf(entry);
  const newest = readVersion(acsEndProtocolVersion);
  if (!isCardNumber(start) || !isCardNumber(end) || newest === null) return [];
  const oldest = readVersion(acsStartProtocolVersion) ?? newest;
  const versions = messageVersions.filter((version) => {
    const known = readVersion(version) as number; // our own versions are valid
    return oldest <= known && known <= newest;
  });
  return listed([{ start, end }], new Map(versions.map((version) => [version, threeDSMethodURL])));
}

/** Reads several ranges. Each version has its own method URL. */
function readRanges231(entry: unknown): CardRange[] {
  const { ranges, acsProtocolVersions } = fieldsOf(entry);
  if (!Array.isArray(ranges) || !Array.isArray(acsProtocolVersions)) return [];
  const spans = ranges.flatMap((range: unknown) => {
    const { start, end } = fieldsOf(range);
    return isCardNumber(start) && isCardNumber(end) ? [{ start, end }] : [];
  });
  const methods = acsProtocolVersions.map((entryOfVersion: unknown) => {
    const { version, threeDSMethodURL } = fieldsOf(entryOfVersion);
    return [version, threeDSMethodURL] as const;
  });
  return listed(spans, new Map(methods));
}

/** Skips ranges without a version that we support. A method without a valid URL counts as no method. */
function listed(spans: readonly { start: string; end: string }[], methods: ReadonlyMap<unknown, unknown>): CardRange[] {
  const versions = messageVersions.flatMap((version) => {
    const method = methods.get(version);
    return methods.has(version) ? [{ version, methodUrl: isText(method, 2048) ? method : null }] : [];
  });
  return versions.length === 0 ? [] : spans.map((span) => ({ ...span, versions }));
}

/**
 * Reads the response to `request`. Invalid optional fields count as absent, so that they don't turn a "no" into no
 * response. Returns null if it isn't a response to this request in its version, if its status is unknown, or if a field
 * that the status requires is missing: the authentication value, the challenge URL or the confirmation of decoupled
 * authentication.
 */
export function readARes(
  body: unknown,
  request: Pick<AReq, "threeDSServerTransID" | "messageVersion" | "messageCategory">,
): AuthenticationResponse | null {
  const message = fieldsOf(body);
  const { threeDSServerTransID, messageVersion } = request;
  const transStatus = transStatuses.find((known) => known === message["transStatus"]);
  const { acsTransID, dsTransID } = message;
  if (message["messageType"] !== "ARes" || message["threeDSServerTransID"] !== threeDSServerTransID) return null;
  if (message["messageVersion"] !== messageVersion) return null;
  if (transStatus === undefined || !isText(acsTransID, 36) || !isText(dsTransID, 36)) return null;
  const response: AuthenticationResponse = {
    messageType: "ARes",
    messageVersion,
    threeDSServerTransID,
    acsTransID,
    dsTransID,
    transStatus,
    ...optionalFields(message),
  };
  return hasRequiredFields(response, request.messageCategory) ? response : null;
}

type OptionalField = "transStatusReason" | "authenticationValue" | "eci" | "acsURL" | "acsDecConInd";

function optionalFields(
  message: Record<string, unknown>,
): Pick<AuthenticationResponse, OptionalField | "cardholderInfo"> {
  const { transStatusReason, authenticationValue, eci, acsURL, acsDecConInd, cardholderInfo } = message;
  const info = readCardholderInfo(cardholderInfo);
  return {
    ...(isTwoDigits(transStatusReason) ? { transStatusReason } : {}),
    ...(isText(authenticationValue, maxProofLength) ? { authenticationValue } : {}),
    ...(isTwoDigits(eci) ? { eci } : {}),
    ...(isText(acsURL, 2048) ? { acsURL } : {}),
    ...(acsDecConInd === "Y" || acsDecConInd === "N" ? { acsDecConInd } : {}),
    ...(info === null ? {} : { cardholderInfo: info }),
  };
}

/** 28 characters in practice. Version 2.3.1 allows this many. */
const maxProofLength = 4000;

/** A string in 2.2.0. In 2.3.1 an object with the text, and images that we don't show. */
function readCardholderInfo(info: unknown): string | null {
  const text = typeof info === "string" ? info : fieldsOf(info)["text"];
  return isText(text, 128) ? text : null;
}

function hasRequiredFields(response: AuthenticationResponse, messageCategory: AReq["messageCategory"]): boolean {
  switch (response.transStatus) {
    case "Y":
    case "A":
      // Without a payment, no authentication value is required.
      return response.authenticationValue !== undefined || messageCategory === "02";
    case "C":
      return response.acsURL !== undefined;
    case "D":
      return response.acsDecConInd === "Y";
    case "N":
    case "U":
    case "R":
    case "I":
      return true;
  }
}

export function readErro(body: unknown): Erro | null {
  const { messageType, errorCode } = fieldsOf(body);
  return messageType === "Erro" && isText(errorCode, 3) ? (body as Erro) : null; // only the code is used
}

/** Returns a version as a comparable number: 2.3.1 becomes 20301. */
function readVersion(text: unknown): number | null {
  const [, major, minor, patch] = /^(\d)\.(\d{1,2})\.(\d{1,2})$/.exec(typeof text === "string" ? text : "") ?? [];
  return patch === undefined ? null : Number(major) * 10_000 + Number(minor) * 100 + Number(patch);
}

function isCardNumber(value: unknown): value is string {
  return typeof value === "string" && /^\d{12,19}$/.test(value);
}
