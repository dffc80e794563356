/**
 * One run of 3-D Secure for a decision. The state machine:
 *
 * ```
 * method --beginAuthenticating--> authenticating --ARes Y A N U R--> complete
 *   |                                   |
 *   |                                   +--ARes C--> challenge --RReq--> complete
 *   +------- the customer cancels, the deadline passes, no answer -----> complete
 * ```
 * `complete` is a latch: the first to get there decides, later messages change nothing. The bank's word is the ARes or the RReq, told to
 * this server; what arrives in the browser never comes here. Every open state has a deadline, so a browser that vanished leaves nothing open.
 */
import { randomUUID } from "node:crypto";
import { currencyExponent } from "@oriel/protocol/currency";
import {
  messageVersion,
  type AReqWithoutCard,
  type ARes,
  type BrowserFields,
  type ChallengeWindowSize,
  type Erro,
} from "@oriel/protocol/threeds";
import type { Context } from "../context.ts";
import { approve, decline } from "../decisions/decisions.ts";
import { beginCharge } from "../charges/begin-charge.ts";
import { failTry } from "../charges/fail-try.ts";
import { newId } from "../ids.ts";
import type { Tx } from "../storage/database.ts";
import type { Row, Tables } from "../storage/tables.ts";
import { judge, readResult, type FinalMessage } from "./outcome.ts";
import type { Updateable } from "kysely";

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
      state: "method",
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
    .where("state", "=", "method")
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
    .set({ state: "authenticating" })
    .where("decision_id", "=", decision.id)
    .where("state", "=", "method")
    .returningAll()
    .executeTakeFirst();
  if (authentication === undefined) return null;

  const answer = await context.vault.authenticate(
    decision.payment_method_id,
    authenticationRequest(context, authentication, decision, merchantName),
  );
  if (answer?.messageType === "ARes" && answer.transStatus === "C") {
    if (await openChallenge(context, authentication, answer)) return null;
    return await conclude(context, authentication.id, { transStatus: "U" }, {});
  }
  return await conclude(context, authentication.id, finalMessageOf(answer), aResFields(answer));
}

/**
 * Ends an authentication with the bank's word, or without one. Returns the attempt to run if a charge began, else null. Only the first
 * caller does anything.
 */
export async function conclude(
  context: Context,
  authenticationId: string,
  message: FinalMessage,
  fields: Updateable<Tables["authentication"]>,
): Promise<string | null> {
  const now = context.now();
  const result = readResult(message);
  return await context.db.transaction().execute(async (tx) => {
    const authentication = await tx
      .updateTable("authentication")
      .set({ ...fields, state: "complete", result, trans_status: message.transStatus })
      .where("id", "=", authenticationId)
      .where("state", "!=", "complete")
      .returningAll()
      .executeTakeFirst();
    if (authentication === undefined) return null;

    const outcome = { result, version: authentication.version, eci: authentication.eci };
    const verdict = judge(result);
    if (verdict.ok) {
      const decision = await approve(tx, authentication.decision_id, outcome, now);
      return await chargeIfAutomatic(context, tx, decision);
    }
    const decision = await decline(tx, authentication.decision_id, outcome, verdict.declineCode, authentication.cardholder_info);
    await failTry(context, tx, await insertFailedCharge(tx, decision, now));
    return null;
  });
}

/** Begins the charge of an approved decision, unless the merchant's server wants to do it. Returns the attempt to run. */
export async function chargeIfAutomatic(context: Context, tx: Tx, decision: Row<"decision">): Promise<string | null> {
  const session = await tx
    .selectFrom("checkout_session")
    .select(["confirmation", "metadata"])
    .where("id", "=", decision.session_id)
    .executeTakeFirstOrThrow();
  if (session.confirmation === "server") return null;
  const { amount, currency, payment_method_id, id: decision_id } = decision;
  const tenant = { accountId: decision.account_id, livemode: decision.livemode };
  const order = { amount, currency, payment_method_id, decision_id, metadata: {} };
  const { attemptId } = await beginCharge(context, tx, tenant, order, { requestId: null, idempotencyKey: null });
  return attemptId;
}

/** Authentications whose deadline has passed. */
export async function findOverdue({ db, now }: Pick<Context, "db" | "now">): Promise<string[]> {
  const rows = await db
    .selectFrom("authentication")
    .select("id")
    .where("state", "!=", "complete")
    .where("deadline", "<=", now())
    .orderBy("deadline")
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

/** ARes C: false if the message lacks what a challenge needs, or its page is not one a browser may be sent to. */
async function openChallenge({ db, now }: Context, authentication: Row<"authentication">, answer: ARes): Promise<boolean> {
  if (answer.acsURL === undefined || !isWebAddress(answer.acsURL)) return false;
  const { numUpdatedRows } = await db
    .updateTable("authentication")
    .set({
      state: "challenge",
      acs_url: answer.acsURL,
      acs_trans_id: answer.acsTransID,
      ds_trans_id: answer.dsTransID,
      deadline: new Date(now().getTime() + deadlineMs),
    })
    .where("id", "=", authentication.id)
    .where("state", "=", "authenticating")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

function authenticationRequest(
  { config, now }: Pick<Context, "config" | "now">,
  authentication: Row<"authentication">,
  decision: Row<"decision">,
  merchantName: string,
): AReqWithoutCard {
  return {
    ...authentication.browser,
    messageType: "AReq",
    messageVersion,
    deviceChannel: "02",
    messageCategory: "01",
    threeDSServerTransID: authentication.id,
    threeDSServerURL: `${config.apiUrl}/3ds/results`,
    threeDSCompInd: authentication.method_url === null ? "U" : authentication.method_notified ? "Y" : "N",
    notificationURL: `${config.checkoutOrigin}/3ds/challenge`,
    browserAcceptHeader: authentication.browser_accept ?? "text/html",
    browserIP: authentication.browser_ip,
    browserUserAgent: authentication.browser_user_agent,
    merchantName: merchantName.slice(0, 40),
    purchaseAmount: String(decision.amount),
    purchaseCurrency: decision.currency.toUpperCase(),
    purchaseExponent: String(currencyExponent(decision.currency)),
    purchaseDate: now().toISOString().replace(/[-:T]/g, "").slice(0, 14),
    threeDSRequestorChallengeInd: "01",
  };
}

/** No answer and an Erro are the same to the payment: 3-D Secure could not be had. */
function finalMessageOf(answer: ARes | Erro | null): FinalMessage {
  return answer?.messageType === "ARes" ? answer : { transStatus: "U" };
}

function aResFields(answer: ARes | Erro | null): Updateable<Tables["authentication"]> {
  if (answer?.messageType !== "ARes") return {};
  return {
    acs_trans_id: answer.acsTransID,
    ds_trans_id: answer.dsTransID,
    eci: answer.eci ?? null,
    authentication_value: answer.authenticationValue ?? null,
    trans_status_reason: answer.transStatusReason ?? null,
    cardholder_info: answer.cardholderInfo?.slice(0, 128) ?? null,
  };
}

/** A try that ended before the bank was asked for money: a charge without an attempt. */
async function insertFailedCharge(tx: Tx, decision: Row<"decision">, now: Date): Promise<Row<"charge">> {
  return await tx
    .insertInto("charge")
    .values({
      id: newId("ch", now),
      account_id: decision.account_id,
      livemode: decision.livemode,
      session_id: decision.session_id,
      payment_method_id: decision.payment_method_id,
      decision_id: decision.id,
      status: "failed",
      amount: decision.amount,
      currency: decision.currency,
      decline_code: decision.decline_code,
      metadata: "{}",
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

function isWebAddress(address: string): boolean {
  return URL.canParse(address) && ["https:", "http:"].includes(new URL(address).protocol);
}
