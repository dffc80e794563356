/**
 * One run of 3-D Secure for a decision. The state machine:
 *
 * ```
 * method --authenticate--> authenticating --ARes Y A N U R I--> complete
 *                                |
 *                                +--ARes C--> challenge --the browser came back--> awaiting_result --RReq--> complete
 *                                |                +------------------------------RReq-----------------------> complete
 *                                +--ARes D--> decoupled --RReq--> complete
 * any but complete: the customer cancels, or the deadline passes --> complete
 * ```
 * `complete` is a latch: the first to get there decides, later messages change nothing (`conclude.ts`). The bank's word
 * is the ARes or the RReq, told to this server; what arrives in the browser can only shorten the wait
 * (`browser-return.ts`). Every open state has a deadline, so a browser that vanished leaves nothing open. A decision
 * has one of these, and a second one where the bank wants the customer after all (`step-up.ts`).
 */
import { randomUUID } from "node:crypto";
import type { BrowserFields, ChallengeWindowSize, MessageVersion } from "@oriel/protocol/threeds";
import { CardGoneError, SealBrokenError } from "@oriel/vault";
import { requireBank } from "../../../merchants/accounts/live-mode.ts";
import type { PlatformContext } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import type { Row, ThreeDSResult } from "../../../platform/storage/tables.ts";
import { authenticationRequest } from "../../threeds/authentication-request.ts";
import { tenantOf } from "../../../platform/tenant.ts";
import { isBankAddress } from "../../threeds/bank-address.ts";
import { conclude, type BankFields } from "./conclude.ts";
import { askingMs, customerMs, deadlineIn } from "../../threeds/deadlines.ts";
import { readError, readResult } from "../../threeds/outcome.ts";

export interface BrowserSeen {
  fields: BrowserFields;
  userAgent: string;
  ip: string;
  challengeWindowSize: ChallengeWindowSize;
}

export async function openAuthentication(
  tx: Tx,
  decision: Pick<Row<"decision">, "id" | "livemode">,
  range: { version: MessageVersion; methodUrl: string | null },
  browser: BrowserSeen,
  now: Date,
): Promise<void> {
  const { version, methodUrl } = range;
  await tx
    .insertInto("authentication")
    .values({
      id: randomUUID(),
      decision_id: decision.id,
      status: "method",
      version,
      method_url: methodUrl !== null && isBankAddress(methodUrl, decision) ? methodUrl : null,
      browser: JSON.stringify(browser.fields),
      browser_user_agent: browser.userAgent.slice(0, 2048),
      browser_ip: browser.ip,
      challenge_window_size: browser.challengeWindowSize,
      deadline: deadlineIn(customerMs, now),
      created_at: now,
    })
    .execute();
}

/** The ACS says that it has seen the browser. Arrives by the browser, but can only ever say "I am done". */
export async function noteMethodNotified(
  { db }: Pick<PlatformContext, "db">,
  threeDSServerTransID: string,
): Promise<void> {
  await db
    .updateTable("authentication")
    .set({ method_notified: true })
    .where("id", "=", threeDSServerTransID)
    .where("status", "=", "method")
    .execute();
}

/** The Accept header of the runner document's navigation: what the AReq wants, and what a script could not tell. */
export async function noteBrowserAccept(
  { db }: Pick<PlatformContext, "db">,
  decisionId: string,
  accept: string,
): Promise<void> {
  await db
    .updateTable("authentication")
    .set({ browser_accept: accept.slice(0, 2048) })
    .where("decision_id", "=", decisionId)
    .where("browser_accept", "is", null)
    .execute();
}

/**
 * Asks the directory server. Returns the attempt to run when the answer let a charge begin; null otherwise, and when it
 * was asked before.
 */
export async function authenticate(
  context: PlatformContext,
  decision: Row<"decision">,
  merchantName: string,
): Promise<string | null> {
  const bank = requireBank(context, tenantOf(decision));
  const authentication = await context.db
    .updateTable("authentication")
    .set({ status: "authenticating", deadline: deadlineIn(askingMs, context.now()) })
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
  const card = { paymentMethodId: decision.payment_method_id, accountId: decision.account_id };
  const answer = await bank.authenticate(card, request).catch(cardUnreadable);
  const end = async (result: ThreeDSResult, fields?: BankFields) =>
    (await conclude(context, authentication.id, result, fields))?.attemptId ?? null;
  if (answer === "silent") return await end("unavailable");
  if (answer === "unreadable") return await end("protocol_error");
  if (answer.messageType === "Erro") return await end(readError(answer.errorCode));

  const fields = {
    acs_trans_id: answer.acsTransID,
    ds_trans_id: answer.dsTransID,
    trans_status: answer.transStatus,
    trans_status_reason: answer.transStatusReason ?? null,
    eci: answer.eci ?? null,
    authentication_value: answer.authenticationValue ?? null,
    cardholder_info: answer.cardholderInfo ?? null,
  };
  switch (answer.transStatus) {
    case "C": {
      const { acsURL } = answer;
      if (acsURL === undefined || !isBankAddress(acsURL, decision)) return await end("protocol_error", fields);
      return await askCustomer(context, authentication.id, { ...fields, asked: "challenge", acs_url: acsURL });
    }
    case "D":
      // Only where it was asked for: otherwise nobody has told the customer to look into another app.
      if (request.threeDSRequestorDecReqInd === "N") return await end("protocol_error", fields);
      return await askCustomer(context, authentication.id, { ...fields, asked: "decoupled" });
    case "Y":
    case "A":
    case "N":
    case "U":
    case "R":
    case "I":
      return await end(readResult(answer), fields);
  }
}

/**
 * Nobody can be asked about a card that cannot be read, and without its bank it is not charged. The vault has written
 * down why.
 */
function cardUnreadable(error: unknown): "unreadable" {
  if (error instanceof SealBrokenError || error instanceof CardGoneError) return "unreadable";
  throw error;
}

/** authenticating -> challenge or decoupled: the bank's word is still to come. */
async function askCustomer(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  id: string,
  { asked, ...fields }: BankFields & ({ asked: "challenge"; acs_url: string } | { asked: "decoupled" }),
): Promise<null> {
  await db
    .updateTable("authentication")
    .set({ ...fields, asked, status: asked, deadline: deadlineIn(customerMs, now()) })
    .where("id", "=", id)
    .where("status", "=", "authenticating")
    .execute();
  return null;
}
