/**
 * The bank tells how a challenge ended, or a decoupled authentication: an RReq, server to server, under the key we gave the bank of that mode. This is the
 * only thing that its outcome is taken from. The answer goes out as soon as the outcome is committed; the charge runs after it.
 *
 * The first one counts. The same one again gets the same answer; another one is refused; one that came after the customer gave up, or after the time
 * was over, is received and written down. None of these changes anything.
 */
import { createHash } from "node:crypto";
import { messageVersions, type Erro, type RReq, type RRes } from "@oriel/protocol/threeds";
import type { Mode } from "@oriel/vault";
import { runAttempt } from "../attempts/run-attempt.ts";
import type { Context } from "../context.ts";
import type { LateResult, Row } from "../storage/tables.ts";
import { messageCategoryOf } from "./authentication-request.ts";
import { conclude } from "./conclude.ts";
import { readResult } from "./outcome.ts";
import { readRReq, type RReqFault } from "./read-rreq.ts";

/** @param mode whose bank it is that tells: of the other's transactions it knows nothing */
export async function receiveResult(context: Context, mode: Mode, body: unknown): Promise<RRes | Erro> {
  const reading = readRReq(body);
  if (!reading.ok) return erro(reading, reading.messageVersion);
  const { message } = reading;
  const { threeDSServerTransID, acsTransID, dsTransID, messageVersion } = message;

  const authentication = await context.db
    .selectFrom("authentication")
    .innerJoin("decision", "decision.id", "authentication.decision_id")
    .select(["authentication.version", "authentication.asked", "acs_trans_id", "ds_trans_id", "decision.amount"])
    .where("authentication.id", "=", threeDSServerTransID)
    .where("decision.livemode", "=", mode === "live")
    .executeTakeFirst();
  const refusal = whyRefused(message, authentication);
  if (refusal !== null) return erro({ ...refusal, threeDSServerTransID, acsTransID }, messageVersion);

  const rreq_digest = digestOf(message);
  const columns = { ...columnsOf(message), authentication_value: message.authenticationValue ?? null, rreq_digest };
  const ended = await conclude(context, threeDSServerTransID, readResult(message), columns);
  if (ended?.attemptId) context.inBackground("attempt", runAttempt(context, ended.attemptId));
  if (ended === null && !(await noteLate(context, message, rreq_digest))) {
    const known = await digestOfFirst(context, threeDSServerTransID);
    if (known?.equals(rreq_digest) !== true) {
      const errorCode = messageVersion === "2.3.1" ? "312" : "305";
      const errorDetail = "another result of this transaction was received before";
      return erro({ errorCode, errorDetail, threeDSServerTransID, acsTransID }, messageVersion);
    }
  }
  return { messageType: "RRes", messageVersion, threeDSServerTransID, acsTransID, dsTransID, resultsStatus: "01" };
}

type Known = Pick<Row<"authentication">, "version" | "asked" | "acs_trans_id" | "ds_trans_id"> & Pick<Row<"decision">, "amount">;

/** Null for the result of a transaction in which the bank asked the customer. */
function whyRefused(message: RReq, authentication: Known | undefined): RReqFault | null {
  // All three are the ones of the ARes, or it is another transaction's result.
  if (authentication?.acs_trans_id !== message.acsTransID || authentication.ds_trans_id !== message.dsTransID) {
    return { errorCode: "301", errorDetail: "threeDSServerTransID, acsTransID, dsTransID" };
  }
  if (authentication.version !== message.messageVersion) return { errorCode: "305", errorDetail: "messageVersion" };
  // Where nothing is paid a proof may be missing: a payment's result must not pass for one of those.
  if (message.messageCategory !== messageCategoryOf(authentication)) return { errorCode: "305", errorDetail: "messageCategory" };
  if (authentication.asked !== null) return null;
  // The ARes was the last word of this one.
  return { errorCode: authentication.version === "2.3.1" ? "313" : "301", errorDetail: "nobody was to be asked" };
}

function columnsOf(message: RReq) {
  return {
    trans_status: message.transStatus,
    trans_status_reason: message.transStatusReason ?? null,
    challenge_cancel: message.challengeCancel ?? null,
    eci: message.eci ?? null,
  };
}

/** Of everything that is used of it, so that two can be compared without keeping more of the first. */
function digestOf(message: RReq): Buffer {
  const { transStatus, transStatusReason, authenticationType, authenticationValue, eci, challengeCancel } = message;
  const used = [transStatus, transStatusReason, authenticationType, authenticationValue, eci, challengeCancel];
  return createHash("sha256").update(JSON.stringify(used)).digest();
}

/** False when there was a result before. */
async function noteLate({ db, now }: Context, message: RReq, rreq_digest: Buffer): Promise<boolean> {
  const late: LateResult = { ...columnsOf(message), received_at: now().toISOString() };
  const { numUpdatedRows } = await db
    .updateTable("authentication")
    .set({ late_result: JSON.stringify(late), rreq_digest })
    .where("id", "=", message.threeDSServerTransID)
    .where("status", "=", "complete")
    .where("rreq_digest", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function digestOfFirst({ db }: Context, id: string): Promise<Buffer | null> {
  return (await db.selectFrom("authentication").select("rreq_digest").where("id", "=", id).executeTakeFirstOrThrow()).rreq_digest;
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

/** Names fields and never repeats what they held. In the version that was spoken, or the newest that we know. */
function erro(
  {
    errorCode,
    errorDetail,
    threeDSServerTransID,
    acsTransID,
  }: RReqFault & { threeDSServerTransID?: string; acsTransID?: string },
  messageVersion: string = messageVersions.at(-1) ?? messageVersions[0],
): Erro {
  return {
    messageType: "Erro",
    messageVersion,
    errorCode,
    errorComponent: "S",
    errorDescription: descriptions[errorCode],
    errorDetail,
    errorMessageType: "RReq",
    ...(threeDSServerTransID === undefined ? {} : { threeDSServerTransID }),
    ...(acsTransID === undefined ? {} : { acsTransID }),
  };
}
