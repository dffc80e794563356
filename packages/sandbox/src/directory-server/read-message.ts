/**
 * Reads messages for the directory server. Returns a PReq or AReq in which every field we use is valid (EMV 3DS 2.2.0
 * and 2.3.1, Table A.1), or the Erro that says what's wrong. An Erro names fields and never repeats their values.
 * Unknown fields are ignored, as in a real directory server.
 */
import { isIP } from "node:net";
import { currencyExponent } from "@oriel/protocol/currency";
import { currencyOfNumber } from "@oriel/protocol/currency-numbers";
import { messageVersions, type AReq, type Erro, type MessageVersion, type PReq } from "@oriel/protocol/threeds";
import { isUuid, isWebAddress } from "../acs/form-data.ts";
import { erro } from "./erro.ts";

/** An AReq in a supported version. */
export type ReadAReq = AReq & { messageVersion: MessageVersion };

export function readMessage(body: unknown): (PReq & { messageVersion: MessageVersion }) | ReadAReq | Erro {
  if (!isRecord(body)) return erro({ code: "101", detail: "The body isn't a JSON object." });
  const { messageType } = body;
  if (messageType !== "PReq" && messageType !== "AReq") {
    return erro({ code: "101", detail: "messageType: the directory server accepts PReq and AReq." });
  }
  const threeDSServerTransID = isUuid(body["threeDSServerTransID"]) ? body["threeDSServerTransID"] : undefined;

  // Check the version first, because the required fields depend on it.
  const given = body["messageVersion"];
  const version = messageVersions.find((spoken) => spoken === given);
  const refuse = (code: "102" | "201" | "203" | "304", detail: string) =>
    erro({ code, detail, version, about: messageType, threeDSServerTransID });
  if (given === undefined || given === null) return refuse("201", "messageVersion");
  if (version === undefined)
    return refuse("102", `messageVersion: the supported versions are ${messageVersions.join(" and ")}.`);
  if (messageType === "PReq") return { messageType, messageVersion: version };

  const required = { ...areqFields, ...fieldsOf[version] };
  const missing = Object.keys(required).filter((name) => body[name] === undefined || body[name] === null);
  if (wantsDecoupled(body) && body["threeDSRequestorDecMaxTime"] === undefined)
    missing.push("threeDSRequestorDecMaxTime");
  if (missing.length > 0) return refuse("201", missing.join(","));
  const optional = Object.entries({ ...optionalFields, ...optionalFieldsOf[version] });
  const checks = [...Object.entries(required), ...optional.filter(([name]) => body[name] !== undefined)];
  const malformed = checks.flatMap(([name, check]) => (check(body[name]) ? [] : [name]));
  if (malformed.length > 0) return refuse("203", malformed.join(","));

  const areq = body as unknown as ReadAReq; // all of its fields were checked above
  const currency = currencyOfNumber(areq.purchaseCurrency);
  if (currency === undefined) return refuse("304", "purchaseCurrency");
  // With the wrong exponent, the bank's page would show ten times the amount.
  if (areq.purchaseExponent !== String(currencyExponent(currency))) return refuse("203", "purchaseExponent");
  return areq;
}

type Check = (value: unknown) => boolean;

type OptionalField =
  | "cardholderName"
  | "email"
  | "acquirerMerchantID"
  | "billAddrPostCode"
  | "billAddrCountry"
  | "threeDSRequestorDecReqInd"
  | "threeDSRequestorDecMaxTime"
  | "threeDSMethodId";

/** Fields that the two versions define differently. */
type DifferentField = "notificationURL" | "browserLanguage" | "browserColorDepth" | "threeDSRequestorChallengeInd";

/** Required fields of an AReq. `messageType` and `messageVersion` are read earlier. */
const areqFields: Record<
  Exclude<keyof AReq, "messageType" | "messageVersion" | OptionalField | DifferentField>,
  Check
> = {
  deviceChannel: oneOf("02"),
  messageCategory: oneOf("01", "02"),
  threeDSServerTransID: isUuid,
  threeDSServerURL: (value) => isWebAddress(value, 2048),
  threeDSCompInd: oneOf("Y", "N", "U"),
  browserAcceptHeader: text(2048),
  browserIP: (value) => typeof value === "string" && isIP(value) !== 0,
  browserUserAgent: text(2048),
  browserJavaEnabled: isBoolean,
  browserJavascriptEnabled: isBoolean,
  browserScreenHeight: matching(/^\d{1,6}$/),
  browserScreenWidth: matching(/^\d{1,6}$/),
  browserTZ: matching(/^[+-]?\d{1,4}$/),
  merchantName: text(40),
  purchaseAmount: matching(/^\d{1,12}$/),
  purchaseCurrency: matching(/^\d{3}$/),
  purchaseExponent: matching(/^\d$/),
  purchaseDate: matching(/^\d{14}$/),
  acctNumber: matching(/^\d{13,19}$/),
  cardExpiryDate: matching(/^\d\d(0[1-9]|1[0-2])$/),
};

const fieldsOf: Record<MessageVersion, Record<DifferentField, Check>> = {
  "2.2.0": {
    notificationURL: (value) => isWebAddress(value, 256),
    browserLanguage: text(8),
    browserColorDepth: oneOf("1", "4", "8", "15", "16", "24", "32", "48"),
    threeDSRequestorChallengeInd: matching(/^0[1-9]$/),
  },
  "2.3.1": {
    notificationURL: (value) => isWebAddress(value, 2048),
    browserLanguage: text(35),
    browserColorDepth: matching(/^[1-9]\d?$/),
    threeDSRequestorChallengeInd: listOf(1, 2, matching(/^(0[1-9]|1[0-4])$/)),
  },
};

/** Optional fields that are the same in both versions. */
const optionalFields: Record<Exclude<OptionalField, "threeDSRequestorDecReqInd" | "threeDSMethodId">, Check> = {
  acquirerMerchantID: text(35),
  cardholderName: matching(/^[ -~]{2,45}$/),
  email: matching(/^[!-~]{1,252}@[!-~]+$/),
  billAddrPostCode: text(16),
  billAddrCountry: matching(/^\d{3}$/),
  threeDSRequestorDecMaxTime: (value) => matching(/^\d{5}$/)(value) && Number(value) >= 1 && Number(value) <= 10_080,
};

const optionalFieldsOf: Record<MessageVersion, Partial<Record<OptionalField, Check>>> = {
  "2.2.0": { threeDSRequestorDecReqInd: oneOf("Y", "N") },
  "2.3.1": { threeDSRequestorDecReqInd: oneOf("Y", "N", "F", "B"), threeDSMethodId: isUuid },
};

function wantsDecoupled({ threeDSRequestorDecReqInd: value }: Record<string, unknown>): boolean {
  return value === "Y" || value === "F" || value === "B";
}

function oneOf(...values: string[]): Check {
  return (value) => typeof value === "string" && values.includes(value);
}

function listOf(least: number, most: number, check: Check): Check {
  return (value) => Array.isArray(value) && value.length >= least && value.length <= most && value.every(check);
}

function text(maxLength: number): Check {
  return (value) => typeof value === "string" && value.length >= 1 && value.length <= maxLength;
}

function matching(pattern: RegExp): Check {
  return (value) => typeof value === "string" && pattern.test(value);
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
