/**
 * Reads what a directory server answers: who takes part in 3-D Secure, and what became of an authentication request.
 * Another company wrote it, and what passes decides whether money moves: a status that we do not know, or that lacks
 * what it needs, is no answer at all. Sources: EMV 3DS 2.2.0 and 2.3.1, Annex A.
 */
import { messageVersions, transStatuses, type AReq, type Erro } from "@oriel/protocol/threeds";
import type { AuthenticationResponse, CardRange } from "./bank.ts";
import { fieldsOf, isText } from "./bank-answers.ts";

/**
 * In the shape of either version. Ranges that cannot be read are left out: one of them must not hide all the others.
 * Where none can be read, nobody knows who takes part, and that must not pass for a bank none of whose cards do.
 */
export function readCardRanges(body: unknown): CardRange[] | null {
  const { messageType, cardRangeData } = fieldsOf(body);
  if (messageType !== "PRes" || !Array.isArray(cardRangeData)) return null;
  const ranges = cardRangeData.flatMap((entry: unknown) =>
    "ranges" in fieldsOf(entry) ? readRanges231(entry) : readRange220(entry),
  );
  return ranges.length === 0 && cardRangeData.length > 0 ? null : ranges;
}

/** One range, in every version from one to another, with one method for them all. */
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
    const known = readVersion(version) as number; // ours are versions
    return oldest <= known && known <= newest;
  });
  return listed([{ start, end }], new Map(versions.map((version) => [version, threeDSMethodURL])));
}

/** Several ranges, each version with a method of its own. */
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

/**
 * A range with which we have no version in common takes no part, as far as we are concerned. One whose method has no
 * address has no method.
 */
function listed(spans: readonly { start: string; end: string }[], methods: ReadonlyMap<unknown, unknown>): CardRange[] {
  const versions = messageVersions.flatMap((version) => {
    const method = methods.get(version);
    return methods.has(version) ? [{ version, methodUrl: isText(method, 2048) ? method : null }] : [];
  });
  return versions.length === 0 ? [] : spans.map((span) => ({ ...span, versions }));
}

/**
 * The answer to `request`. An optional field that is out of its bounds counts as absent, so that it cannot turn a "no"
 * into silence. Null when it is not an answer to this request in its version, when its status is none that we know, and
 * when it lacks what its status needs: the proof of an authentication, the address of a challenge, the announcement of
 * a decoupled one.
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
  const answer: AuthenticationResponse = {
    messageType: "ARes",
    messageVersion,
    threeDSServerTransID,
    acsTransID,
    dsTransID,
    transStatus,
    ...optionalFields(message),
  };
  return hasWhatItNeeds(answer, request.messageCategory) ? answer : null;
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

/** 28 characters in practice; this is what 2.3.1 allows. */
const maxProofLength = 4000;

/** Text in 2.2.0; in 2.3.1 an object with the text, and images that are not shown. */
function readCardholderInfo(info: unknown): string | null {
  const text = typeof info === "string" ? info : fieldsOf(info)["text"];
  return isText(text, 128) ? text : null;
}

function hasWhatItNeeds(answer: AuthenticationResponse, messageCategory: AReq["messageCategory"]): boolean {
  switch (answer.transStatus) {
    case "Y":
    case "A":
      // Where nothing is paid there need be no proof.
      return answer.authenticationValue !== undefined || messageCategory === "02";
    case "C":
      return answer.acsURL !== undefined;
    case "D":
      return answer.acsDecConInd === "Y";
    case "N":
    case "U":
    case "R":
    case "I":
      return true;
  }
}

export function readErro(body: unknown): Erro | null {
  const { messageType, errorCode } = fieldsOf(body);
  return messageType === "Erro" && isText(errorCode, 3) ? (body as Erro) : null; // its code is all that is used
}

/** A version as a number that compares as versions do: 2.3.1 as 20301. */
function readVersion(text: unknown): number | null {
  const [, major, minor, patch] = /^(\d)\.(\d{1,2})\.(\d{1,2})$/.exec(typeof text === "string" ? text : "") ?? [];
  return patch === undefined ? null : Number(major) * 10_000 + Number(minor) * 100 + Number(patch);
}

function isCardNumber(value: unknown): value is string {
  return typeof value === "string" && /^\d{12,19}$/.test(value);
}

function isTwoDigits(value: unknown): value is string {
  return typeof value === "string" && /^\d\d$/.test(value);
}
