/**
 * One run of 3-D Secure for a decision. The state machine:
 *
 * ```
 * method --authenticate--> authenticating --ARes Y A N U R--> complete
 *   |                                   |
 *   |                                   +--ARes C--> challenge --RReq--> complete
 *   +------- the customer cancels, the deadline passes, no answer -----> complete
 * ```
 * `complete` is a latch: the first to get there decides, later messages change nothing. The bank's word is the ARes or the RReq, told to
 * this server; what arrives in the browser never comes here. Every open state has a deadline, so a browser that vanished leaves nothing open.
 */
import { randomUUID } from "node:crypto";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { ARes, BrowserFields, ChallengeWindowSize } from "@oriel/protocol/threeds";
import { CardGoneError, SealBrokenError } from "@oriel/vault";
import type { Updateable } from "kysely";
import type { Context } from "../context.ts";
import { approve, decline } from "../decisions/decision-state.ts";
import { beginAutomatically } from "../payments/begin-automatically.ts";
import { eraseCard } from "../payments/erase-card.ts";
import { failPayment } from "../payments/fail-payment.ts";
import { isConfirmed } from "../risk/assess.ts";
import type { Tx } from "../storage/database.ts";
import type { Row, Tables, ThreeDSResult } from "../storage/tables.ts";
import { authenticationRequest } from "./authentication-request.ts";
import { judge, readError, readResult } from "./outcome.ts";

/** The directory server has ten seconds; a process that has not written its answer down by then is not going to. */
const askingMs = 30 * 1000;
/** A customer has ten minutes for a challenge; the grace lets the ACS's own time-out arrive first. */
const deadlineMs = 10 * 60 * 1000 + 30 * 1000;

export interface BrowserSeen {
  fields: BrowserFields;
  userAgent: string;
  ip: string;
  challengeWindowSize: ChallengeWindowSize;
}

export async function openAuthentication(
  tx: Tx,
  decisionId: string,
  range: { version: string; methodUrl: string | null },
  browser: BrowserSeen,
  now: Date,
): Promise<void> {
  await tx
    .insertInto("authentication")
    .values({
      id: randomUUID(),
      decision_id: decisionId,
      status: "method",
      version: range.version,
      method_url: range.methodUrl,
      browser: JSON.stringify(browser.fields),
      browser_user_agent: browser.userAgent.slice(0, 2048),
      browser_ip: browser.ip,
      challenge_window_size: browser.challengeWindowSize,
      deadline: new Date(now.getTime() + deadlineMs),
      created_at: now,
    })
    .execute();
}

/** The ACS says that it has seen the browser. Arrives by the browser, but can only ever say "I am done". */
export async function noteMethodNotified({ db }: Pick<Context, "db">, threeDSServerTransID: string): Promise<void> {
  await db
    .updateTable("authentication")
    .set({ method_notified: true })
    .where("id", "=", threeDSServerTransID)
    .where("status", "=", "method")
    .execute();
}

/** The Accept header of the runner document's navigation: what the AReq wants, and what a script could not tell. */
export async function noteBrowserAccept({ db }: Pick<Context, "db">, decisionId: string, accept: string): Promise<void> {
  await db
    .updateTable("authentication")
    .set({ browser_accept: accept.slice(0, 2048) })
    .where("decision_id", "=", decisionId)
    .where("browser_accept", "is", null)
    .execute();
}

/** Asks the directory server. Returns the attempt to run when the answer let a charge begin; null otherwise, and when it was asked before. */
export async function authenticate(context: Context, decision: Row<"decision">, merchantName: string): Promise<string | null> {
  const authentication = await context.db
    .updateTable("authentication")
    .set({ status: "authenticating", deadline: new Date(context.now().getTime() + askingMs) })
    .where("decision_id", "=", decision.id)
    .where("status", "=", "method")
    .returningAll()
    .executeTakeFirst();
  if (authentication === undefined) return null;

  const { billing_details } = await context.db
    .selectFrom("payment_method")
    .select("billing_details")
    .where("id", "=", decision.payment_method_id)
    .executeTakeFirstOrThrow();
  const request = authenticationRequest(context, authentication, decision, merchantName, billing_details);
  const answer = await context.vault.authenticate(decision.payment_method_id, request).catch(cardUnreadable);
  if (answer === "silent") return await conclude(context, authentication.id, "unavailable");
  if (answer === "unreadable") return await conclude(context, authentication.id, "protocol_error");
  if (answer.messageType === "Erro") return await conclude(context, authentication.id, readError(answer.errorCode));
  if (answer.transStatus === "C") {
    if (await openChallenge(context, authentication, answer)) return null;
    return await conclude(context, authentication.id, "unavailable");
  }
  return await conclude(context, authentication.id, readResult(answer), bankFields(answer));
}

/** Nobody can be asked about a card that cannot be read, and without its bank it is not charged. The vault has written down why. */
function cardUnreadable(error: unknown): "unreadable" {
  if (error instanceof SealBrokenError || error instanceof CardGoneError) return "unreadable";
  throw error;
}

/** What the bank's messages add to an authentication when it ends. */
export type BankFields = Pick<
  Updateable<Tables["authentication"]>,
  | "acs_trans_id"
  | "ds_trans_id"
  | "trans_status"
  | "trans_status_reason"
  | "challenge_cancel"
  | "eci"
  | "authentication_value"
  | "cardholder_info"
>;

/**
 * Ends an authentication, with the bank's word or without one. Returns the attempt to run if a charge began, else null. Only the first
 * caller does anything.
 */
export async function conclude(
  context: Context,
  authenticationId: string,
  result: ThreeDSResult,
  fields: BankFields = {},
): Promise<string | null> {
  const now = context.now();
  const ended = await context.db.transaction().execute(async (tx) => {
    const authentication = await tx
      .updateTable("authentication")
      .set({ ...fields, status: "complete", result })
      .where("id", "=", authenticationId)
      .where("status", "!=", "complete")
      .returningAll()
      .executeTakeFirst();
    if (authentication === undefined) return null;

    const { decision_id: id, version, eci, cardholder_info } = authentication;
    const outcome = { result, version, eci };
    const declineCode = await whyDeclined(tx, id, result);
    if (declineCode === null) {
      return { attemptId: await beginAutomatically(context, tx, await approve(tx, id, outcome, now)), declined: null };
    }
    const decision = await decline(tx, id, outcome, declineCode, cardholder_info);
    await failPayment(context, tx, decision);
    return { attemptId: null, declined: decision };
  });
  if (ended === null) return null;
  const { attemptId, declined } = ended;
  if (declined !== null) await eraseCard(context, declined.payment_method_id);
  return attemptId;
}

/** Null when the payment may go on. One that is risky needs a bank that confirmed it; that none could be reached is then not enough. */
async function whyDeclined(tx: Tx, decisionId: string, result: ThreeDSResult): Promise<DeclineCode | null> {
  const verdict = judge(result);
  if (!verdict.ok) return verdict.declineCode;
  const { risk_level } = await tx
    .selectFrom("decision")
    .select("risk_level")
    .where("id", "=", decisionId)
    .executeTakeFirstOrThrow();
  return isConfirmed(risk_level, result) ? null : "risk_rejected";
}

/** Authentications whose deadline has passed. */
export async function findOverdue({ db, now }: Pick<Context, "db" | "now">, limit: number) {
  return await db
    .selectFrom("authentication")
    .select(["id", "status"])
    .where("status", "!=", "complete")
    .where("deadline", "<=", now())
    .orderBy("deadline")
    .limit(limit)
    .execute();
}

/** ARes C: false if the message lacks what a challenge needs, or its page is not one a browser may be sent to. */
async function openChallenge({ db, now }: Context, authentication: Row<"authentication">, answer: ARes): Promise<boolean> {
  if (answer.acsURL === undefined || !isWebAddress(answer.acsURL)) return false;
  const { numUpdatedRows } = await db
    .updateTable("authentication")
    .set({
      status: "challenge",
      acs_url: answer.acsURL,
      acs_trans_id: answer.acsTransID,
      ds_trans_id: answer.dsTransID,
      deadline: new Date(now().getTime() + deadlineMs),
    })
    .where("id", "=", authentication.id)
    .where("status", "=", "authenticating")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

function bankFields(answer: ARes): BankFields {
  return {
    acs_trans_id: answer.acsTransID,
    ds_trans_id: answer.dsTransID,
    trans_status: answer.transStatus,
    trans_status_reason: answer.transStatusReason ?? null,
    eci: answer.eci ?? null,
    authentication_value: answer.authenticationValue ?? null,
    cardholder_info: answer.cardholderInfo ?? null,
  };
}

function isWebAddress(address: string): boolean {
  return URL.canParse(address) && ["https:", "http:"].includes(new URL(address).protocol);
}
