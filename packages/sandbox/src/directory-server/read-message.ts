/**
 * Reads what arrives at the directory server: a PReq or an AReq whose every used field is there and well formed (EMV 3DS 2.2.0, Table A.1),
 * or the Erro that says why not. An Erro names fields and never repeats what they held. Fields that we do not use are not looked at, as
 * a directory server passes over what it does not know.
 */
import { isIP } from "node:net";
import { currencyExponent, isCurrency } from "@oriel/protocol/currency";
import { messageVersion, type AReq, type Erro, type PReq } from "@oriel/protocol/threeds";
import { isUuid, isWebAddress } from "../acs/form-data.ts";

export function readMessage(body: unknown): PReq | AReq | Erro {
  if (!isRecord(body)) return erro("101", "Message Received Invalid", "The body is not a JSON object.", "");
  const { messageType } = body;
  if (messageType !== "PReq" && messageType !== "AReq") {
    return erro("101", "Message Received Invalid", "messageType: the directory server takes PReq and AReq.", "");
  }
  const transaction = isUuid(body["threeDSServerTransID"]) ? body["threeDSServerTransID"] : undefined;
  const refuse = (code: string, description: string, detail: string) => erro(code, description, detail, messageType, transaction);

  // The version first: what a message must hold depends on it.
  const version = body["messageVersion"];
  if (version === undefined || version === null) return refuse("201", "Required Data Element Missing", "messageVersion");
  if (version !== messageVersion) {
    return refuse("102", "Message Version Number Not Supported", `messageVersion: ${messageVersion} is supported.`);
  }
  const fields: Record<string, Check> = messageType === "AReq" ? areqFields : {};
  const missing = Object.keys(fields).filter((name) => body[name] === undefined || body[name] === null);
  if (missing.length > 0) return refuse("201", "Required Data Element Missing", missing.join(","));
  const given = Object.entries(messageType === "AReq" ? optionalFields : {}).filter(([name]) => body[name] !== undefined);
  const malformed = [...Object.entries(fields), ...given].flatMap(([name, check]) => (check(body[name]) ? [] : [name]));
  if (malformed.length > 0) return refuse("203", "Format of one or more Data Elements is Invalid", malformed.join(","));
  if (messageType === "PReq") return { messageType, messageVersion };

  const areq = body as unknown as AReq; // every field of it was looked at above
  const currency = areq.purchaseCurrency.toLowerCase();
  if (/^[a-z]/.test(currency)) {
    if (!isCurrency(currency)) return refuse("304", "ISO Code Invalid", "purchaseCurrency");
    // Off by one decimal, the bank's page would ask for ten times the money.
    if (areq.purchaseExponent !== String(currencyExponent(currency))) {
      return refuse("203", "Format of one or more Data Elements is Invalid", "purchaseExponent");
    }
  }
  return areq;
}

/** An error message from the directory server (Table A.4). */
export function erro(
  errorCode: string,
  errorDescription: string,
  errorDetail: string,
  errorMessageType: string,
  threeDSServerTransID?: string,
): Erro {
  return {
    messageType: "Erro",
    messageVersion,
    errorCode,
    errorComponent: "D",
    errorDescription,
    errorDetail,
    errorMessageType,
    ...(threeDSServerTransID === undefined ? {} : { threeDSServerTransID }),
  };
}

type Check = (value: unknown) => boolean;

/** The fields of an AReq that must be there. `messageType` and `messageVersion` are read before. */
const areqFields: Record<Exclude<keyof AReq, "messageType" | "messageVersion" | OptionalField>, Check> = {
  deviceChannel: oneOf("02"),
  messageCategory: oneOf("01", "02"),
  threeDSServerTransID: isUuid,
  threeDSServerURL: (value) => isWebAddress(value, 2048),
  threeDSCompInd: oneOf("Y", "N", "U"),
  notificationURL: (value) => isWebAddress(value, 256),
  browserAcceptHeader: text(2048),
  browserIP: (value) => typeof value === "string" && isIP(value) !== 0,
  browserUserAgent: text(2048),
  browserJavaEnabled: isBoolean,
  browserJavascriptEnabled: isBoolean,
  browserLanguage: text(8),
  browserColorDepth: oneOf("1", "4", "8", "15", "16", "24", "32", "48"),
  browserScreenHeight: matching(/^\d{1,6}$/),
  browserScreenWidth: matching(/^\d{1,6}$/),
  browserTZ: matching(/^[+-]?\d{1,4}$/),
  merchantName: text(40),
  purchaseAmount: matching(/^\d{1,12}$/),
  purchaseCurrency: matching(/^(\d{3}|[A-Za-z]{3})$/),
  purchaseExponent: matching(/^\d$/),
  purchaseDate: matching(/^\d{14}$/),
  threeDSRequestorChallengeInd: matching(/^0[1-9]$/),
  acctNumber: matching(/^\d{13,19}$/),
  cardExpiryDate: matching(/^\d\d(0[1-9]|1[0-2])$/),
};

type OptionalField = "cardholderName" | "email" | "billAddrPostCode" | "billAddrCountry";

/** What an AReq may say of the cardholder. */
const optionalFields: Record<OptionalField, Check> = {
  cardholderName: matching(/^[ -~]{2,45}$/),
  email: matching(/^[!-~]{1,252}@[!-~]+$/),
  billAddrPostCode: text(16),
  billAddrCountry: matching(/^\d{3}$/),
};

function oneOf(...values: string[]): Check {
  return (value) => typeof value === "string" && values.includes(value);
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
