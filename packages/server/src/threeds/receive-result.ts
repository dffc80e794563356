/**
 * The bank tells how a challenge ended: an RReq, server to server, under the key we gave the bank. This is the only thing that a challenge's
 * outcome is taken from. The answer goes out as soon as the outcome is committed; the charge runs after it.
 */
import { messageVersion, type Erro, type RReq, type RRes } from "@oriel/protocol/threeds";
import { runAttempt } from "../attempts/run-attempt.ts";
import type { Context } from "../context.ts";
import { conclude } from "./authentications.ts";
import { readResult } from "./outcome.ts";

export async function receiveResult(context: Context, body: unknown): Promise<RRes | Erro> {
  const message = readRReq(body);
  if (message === null) return erro("203", "Format of one or more elements is invalid", "not an RReq that can be read");

  const authentication = await context.db
    .selectFrom("authentication")
    .select(["id", "status", "acs_trans_id", "ds_trans_id"])
    .where("id", "=", message.threeDSServerTransID)
    .executeTakeFirst();
  // All three are the ones of the ARes, or it is another transaction's result.
  if (authentication?.acs_trans_id !== message.acsTransID || authentication.ds_trans_id !== message.dsTransID) {
    return erro("301", "Transaction ID received is not valid", "threeDSServerTransID, acsTransID, dsTransID");
  }
  if (authentication.status !== "challenge" && authentication.status !== "complete") {
    return erro("305", "Transaction data not valid", "no challenge was asked for");
  }

  const attemptId = await conclude(context, authentication.id, readResult(message), {
    trans_status: message.transStatus,
    trans_status_reason: message.transStatusReason ?? null,
    challenge_cancel: message.challengeCancel ?? null,
    eci: message.eci ?? null,
    authentication_value: message.authenticationValue ?? null,
  });
  if (attemptId !== null) context.inBackground("attempt", runAttempt(context, attemptId));
  const { threeDSServerTransID, acsTransID, dsTransID } = message;
  // A repeated RReq, and one that came after the customer gave up, are received as well; they change nothing.
  return { messageType: "RRes", messageVersion, threeDSServerTransID, acsTransID, dsTransID, resultsStatus: "01" };
}

const finalStatuses: readonly unknown[] = ["Y", "A", "N", "U", "R"];
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

function readRReq(body: unknown): RReq | null {
  if (typeof body !== "object" || body === null) return null;
  const message = body as Record<keyof RReq, unknown>; // every field that is used is checked on the next lines
  const ids = [message.threeDSServerTransID, message.acsTransID, message.dsTransID];
  if (message.messageType !== "RReq" || !ids.every((id) => typeof id === "string" && uuid.test(id))) return null;
  if (!finalStatuses.includes(message.transStatus)) return null;
  const isAbsentOr = (form: RegExp, text: unknown) => text === undefined || (typeof text === "string" && form.test(text));
  if (!isAbsentOr(/^\d\d$/, message.eci) || !isAbsentOr(/^[A-Za-z0-9+/=]{1,64}$/, message.authenticationValue)) return null;
  if (!isAbsentOr(/^\d\d$/, message.transStatusReason) || !isAbsentOr(/^\d\d$/, message.challengeCancel)) return null;
  return body as RReq; // what is used of it was just checked
}

function erro(errorCode: string, errorDescription: string, errorDetail: string): Erro {
  return {
    messageType: "Erro",
    messageVersion,
    errorCode,
    errorComponent: "S",
    errorDescription,
    errorDetail,
    errorMessageType: "RReq",
  };
}
