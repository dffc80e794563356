/**
 * Reads what a bank answered, field by field, each within its bounds. Another company wrote it: nothing in it is believed to have a shape, and
 * what is not used is dropped.
 */
import { isDeclineCode } from "@oriel/protocol/declines";
import { messageVersion, type ARes, type CardRange, type Erro, type TransStatus } from "@oriel/protocol/threeds";
import { BankUnreadableError, type BankAnswer } from "./bank.ts";

/** The answer to a request that moves money, or what stands in the books about it. @throws BankUnreadableError */
export function readBankAnswer(body: unknown, reference: string): BankAnswer {
  const { reference: answered, status, decline_code: declineCode } = fieldsOf(body);
  if (answered === reference && status === "approved") return { status };
  if (answered === reference && status === "declined") {
    return { status, declineCode: isDeclineCode(declineCode) ? declineCode : "generic_decline" };
  }
  throw new BankUnreadableError("about a reference", "it does not say of this reference that it is approved or declined");
}

/** The bank's own way of refusing: JSON with an `error` in it. */
export function isRefusal(body: unknown): boolean {
  const { error } = fieldsOf(body);
  return typeof error === "object" && error !== null;
}

/** Ranges that cannot be read are left out: one of them must not hide all the others. */
export function readCardRanges(body: unknown): CardRange[] | null {
  const { messageType, cardRangeData } = fieldsOf(body);
  if (messageType !== "PRes" || !Array.isArray(cardRangeData)) return null;
  const isRange = (range: unknown): range is CardRange => {
    const { startRange, endRange, acsEndProtocolVersion, threeDSMethodURL } = fieldsOf(range);
    const isMethod = threeDSMethodURL === undefined || isText(threeDSMethodURL, 2048);
    return isDigits(startRange) && isDigits(endRange) && isText(acsEndProtocolVersion, 10) && isMethod;
  };
  return cardRangeData.filter(isRange);
}

const transStatuses = ["Y", "A", "N", "U", "R", "C"] as const satisfies readonly TransStatus[];

/** The fields that are used; an optional one that is out of its bounds counts as absent, so that it cannot turn a "no" into silence. */
export function readARes(body: unknown, threeDSServerTransID: string): ARes | null {
  const message = fieldsOf(body);
  const transStatus = transStatuses.find((known) => known === message["transStatus"]);
  const { acsTransID, dsTransID } = message;
  if (message["messageType"] !== "ARes" || message["threeDSServerTransID"] !== threeDSServerTransID) return null;
  if (transStatus === undefined || !isText(acsTransID, 36) || !isText(dsTransID, 36)) return null;
  const answer: ARes = { messageType: "ARes", messageVersion, threeDSServerTransID, acsTransID, dsTransID, transStatus };
  const { transStatusReason, authenticationValue, eci, acsURL, cardholderInfo } = message;
  if (isText(transStatusReason, 2)) answer.transStatusReason = transStatusReason;
  if (isText(authenticationValue, 64)) answer.authenticationValue = authenticationValue;
  if (isText(eci, 2) && /^\d\d$/.test(eci)) answer.eci = eci;
  if (isText(acsURL, 2048)) answer.acsURL = acsURL;
  if (isText(cardholderInfo, 128)) answer.cardholderInfo = cardholderInfo;
  return answer;
}

export function readErro(body: unknown): Erro | null {
  const { messageType, errorCode } = fieldsOf(body);
  return messageType === "Erro" && isText(errorCode, 3) ? (body as Erro) : null; // its code is all that is used
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}; // an object's fields, each still unknown
}

function isDigits(value: unknown): boolean {
  return typeof value === "string" && /^\d{12,19}$/.test(value);
}

function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= most;
}
