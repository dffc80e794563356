/**
 * An authentication is one run of 3-D Secure for a decision. Its state machine:
 *
 * ```
 * method --authenticate--> authenticating --ARes Y A N U R I--> complete
 *    ^                           |
 *    |                           +--ARes C--> challenge --browser returns--> awaiting_result --RReq--> complete
 *    |                           |                +------------------------RReq----------------------> complete
 *    |                           +--ARes D--> decoupled --RReq--> complete
 *    +------ 3DS Method ---------+
 * any but complete: the customer cancels, or the deadline passes --> complete
 * ```
 * If a vendor has the 3DS Server, its replies take the place of the ARes and the RReq. It's called a first time before the
 * 3DS Method, which leads back to `method`, and we fetch the result (`vendor-authentication.ts`).
 *
 * Only the first transition to `complete` counts, and later messages change nothing (`conclude.ts`). The outcome comes
 * from the ARes or the RReq, which this server receives directly. Messages that arrive through the browser can only
 * shorten the wait (`browser-return.ts`). Every open state has a deadline, so nothing stays open if the browser
 * disappears. A decision has one authentication, and a second one for a step-up (`step-up.ts`).
 */
import { randomUUID } from "node:crypto";
import {
  messageVersions,
  type BrowserFields,
  type ChallengeWindowSize,
  type MessageVersion,
} from "@oriel/protocol/threeds";
import type { CardDirectoryServer } from "@oriel/vault";
import { requireAcquirerFor } from "../../../merchants/accounts/live-mode.ts";
import type { PlatformContext } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import { hasId, hasKey, type RowKey } from "../../../platform/storage/owned-by.ts";
import type { Row, ThreeDSResult } from "../../../platform/storage/tables.ts";
import { ownerColumns, tenantOf, type Tenant } from "../../../platform/tenant.ts";
import type { AttemptToRun } from "../../attempts/subject.ts";
import { authenticationRequest, type Enrolled } from "../../threeds/authentication-request.ts";
import { isBankUrl } from "../../threeds/bank-url.ts";
import { directoryServerMs, customerMs, deadlineIn } from "../../threeds/deadlines.ts";
import { readError, readResult } from "../../threeds/outcome.ts";
import { hasTransactionId } from "../../threeds/transaction-id.ts";
import { cardUnreadable } from "./card-unreadable.ts";
import { conclude, type MessageFields } from "./conclude.ts";
import { callVendor } from "./vendor-authentication.ts";

export interface BrowserSeen {
  fields: BrowserFields;
  userAgent: string;
  ip: string;
  challengeWindowSize: ChallengeWindowSize;
}

/** @param range null if a vendor's 3DS Server determines the version and the 3DS Method */
export async function openAuthentication(
  tx: Tx,
  decision: Pick<Row<"decision">, keyof RowKey>,
  range: { version: MessageVersion; methodUrl: string | null } | null,
  browser: BrowserSeen,
  now: Date,
): Promise<void> {
  const { version, methodUrl } = range ?? { version: null, methodUrl: null };
  await tx
    .insertInto("authentication")
    .values({
      ...ownerColumns(tenantOf(decision)),
      id: randomUUID(),
      decision_id: decision.id,
      status: "method",
      version,
      method_url: methodUrl !== null && isBankUrl(methodUrl, decision) ? methodUrl : null,
      browser: JSON.stringify(browser.fields),
      browser_user_agent: browser.userAgent.slice(0, 2048),
      browser_ip: browser.ip,
      challenge_window_size: browser.challengeWindowSize,
      deadline: deadlineIn(customerMs, now),
      created_at: now,
    })
    .execute();
}

/**
 * Records that the 3DS Method has completed. The notification arrives through the browser, so nothing else in it is
 * trusted.
 */
export async function recordMethodNotified(
  { db }: Pick<PlatformContext, "db">,
  owner: Tenant,
  threeDSServerTransID: string,
): Promise<void> {
  await db
    .updateTable("authentication")
    .set({ method_notified: true })
    .where(hasTransactionId(owner, threeDSServerTransID))
    .where("status", "=", "method")
    .execute();
}

/** Stores the Accept header of the runner page's request. The AReq requires it, and a script can't read it. */
export async function recordBrowserAccept(
  { db }: Pick<PlatformContext, "db">,
  decisionId: string,
  accept: string,
): Promise<void> {
  await db
    .updateTable("authentication")
    .set({ browser_accept: accept.slice(0, 2048) })
    .where(hasId(decisionId, "decision_id"))
    .where("browser_accept", "is", null)
    .execute();
}

/**
 * Sends the AReq to the directory server, or the next request to the vendor's 3DS Server.
 *
 * @returns the attempt to run if the response started a charge; otherwise null, also if the request was already sent
 */
export async function authenticate(
  context: PlatformContext,
  decision: Row<"decision">,
  merchantName: string,
): Promise<AttemptToRun | null> {
  const { threeDS } = await requireAcquirerFor(context, tenantOf(decision), decision.acquirer_account_id);
  const authentication = await context.db
    .updateTable("authentication")
    .set({ status: "authenticating", deadline: deadlineIn(directoryServerMs, context.now()) })
    .where(hasId(decision.id, "decision_id"))
    .where("status", "=", "method")
    .returningAll()
    .executeTakeFirst();
  if (authentication === undefined) return null;
  return threeDS.kind === "vendor"
    ? await callVendor(context, threeDS, authentication, decision, merchantName)
    : await callDirectoryServer(context, threeDS, authentication, decision, merchantName);
}

async function callDirectoryServer(
  context: PlatformContext,
  server: CardDirectoryServer,
  authentication: Row<"authentication">,
  decision: Row<"decision">,
  merchantName: string,
): Promise<AttemptToRun | null> {
  if (!hasVersion(authentication)) throw new Error("Bug: the authentication was opened without a version");
  const { billing_details } = await context.db
    .selectFrom("payment_method")
    .select("billing_details")
    .where(hasId(decision.payment_method_id))
    .executeTakeFirstOrThrow();
  const request = authenticationRequest(context, authentication, decision, merchantName, billing_details);
  const card = { paymentMethodId: decision.payment_method_id, accountNo: decision.account_no };
  const response = await server.authenticate(card, request).catch(cardUnreadable);
  const end = async (result: ThreeDSResult, fields?: MessageFields) =>
    (await conclude(context, authentication, result, fields))?.attempt ?? null;
  if (response === "silent") return await end("unavailable");
  if (response === "unreadable") return await end("protocol_error");
  if (response.messageType === "Erro") return await end(readError(response.errorCode));

  const fields = {
    acs_trans_id: response.acsTransID,
    ds_trans_id: response.dsTransID,
    trans_status: response.transStatus,
    trans_status_reason: response.transStatusReason ?? null,
    eci: response.eci ?? null,
    authentication_value: response.authenticationValue ?? null,
    cardholder_info: response.cardholderInfo ?? null,
  };
  switch (response.transStatus) {
    case "C": {
      const { acsURL } = response;
      if (acsURL === undefined || !isBankUrl(acsURL, decision)) return await end("protocol_error", fields);
      return await awaitCustomer(context, authentication, { ...fields, flow: "challenge", acs_url: acsURL });
    }
    case "D":
      // Accept this only if we requested it. Otherwise nothing has told the customer to approve in another app.
      if (request.threeDSRequestorDecReqInd === "N") return await end("protocol_error", fields);
      return await awaitCustomer(context, authentication, { ...fields, flow: "decoupled" });
    case "Y":
    case "A":
    case "N":
    case "U":
    case "R":
    case "I":
      return await end(readResult(response), fields);
  }
}

function hasVersion(authentication: Row<"authentication">): authentication is Enrolled {
  return messageVersions.some((known) => known === authentication.version);
}

/** authenticating -> challenge or decoupled. The RReq brings the outcome. */
async function awaitCustomer(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  key: RowKey,
  { flow, ...fields }: MessageFields & ({ flow: "challenge"; acs_url: string } | { flow: "decoupled" }),
): Promise<null> {
  await db
    .updateTable("authentication")
    .set({ ...fields, flow, status: flow, deadline: deadlineIn(customerMs, now()) })
    .where(hasKey(key))
    .where("status", "=", "authenticating")
    .execute();
  return null;
}
