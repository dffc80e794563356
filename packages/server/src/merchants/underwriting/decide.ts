/**
 * The operator's side of underwriting: reviewing and deciding applications. An approval enables live mode for the
 * account in the same transaction; every other decision disables it. The owners are notified of each step.
 *
 * The routes' guard has checked that the caller is an operator, who can't be in a team. A decision is refused if the
 * application isn't in review, or was submitted again since the operator loaded it. Of two concurrent decisions, only
 * one succeeds. A retry of a decision whose response was lost succeeds too.
 */
import type { ApplicationStatus, DecideApplication } from "@oriel/protocol/dashboard/underwriting";
import { ApiError } from "../../platform/errors.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { recordAudit, type AuditAction } from "../audit/audit-log.ts";
import type { MerchantContext } from "../context.ts";
import { emailOwners } from "../members/email-owners.ts";
import {
  approve,
  requestInformation,
  isApplication,
  lockInReview,
  readHistory,
  reject,
  takeIntoReview,
  type Application,
  type Step,
} from "./application-state.ts";
import { underwritingEmails } from "./emails.ts";

/** `missing` is also returned for applications that were never submitted, which operators can't see. */
export type OperatorRefusal = "missing" | "not_possible";

/** @param actor for the audit log */
export async function reviewApplication(
  context: MerchantContext,
  id: string,
  actor: string,
): Promise<OperatorRefusal | null> {
  const given = { actor, now: context.now(), reason: null };
  return await step(context, id, given, "application.review_started", (tx) => takeIntoReview(tx, id, given));
}

/** @throws ApiError `parameter_missing` if a rejection or a request for information has no reason */
export async function decide(
  context: MerchantContext,
  id: string,
  { decision, reason, submitted }: DecideApplication,
  actor: string,
): Promise<OperatorRefusal | null> {
  if (reason === undefined && decision !== "approve")
    throw new ApiError("parameter_missing", "`reason` is missing. Explain your decision to the merchant.", {
      param: "reason",
    });
  const given = { actor, now: context.now(), reason: reason ?? null };
  const { action, move, to } = decisions[decision];
  const refusal = await step(context, id, given, action, async (tx) => {
    const seen = await lockInReview(tx, id);
    // Since this operator loaded the application, another operator may have requested information and the merchant may
    // have submitted it again.
    if (!seen?.submitted_at || unixSeconds(seen.submitted_at) !== submitted) return undefined;
    const row = await move(tx, id, given);
    if (row !== undefined) await setLiveApproval(tx, row, row.status === "approved" ? given.now : null);
    return row;
  });
  return refusal === "not_possible" && (await isLastStep(context.db, id, to, given)) ? null : refusal;
}

const decisions = {
  approve: { action: "application.approved", move: approve, to: "approved" },
  reject: { action: "application.rejected", move: reject, to: "rejected" },
  request_information: {
    action: "application.information_requested",
    move: requestInformation,
    to: "needs_information",
  },
} as const;

async function isLastStep(db: Db, id: string, to: ApplicationStatus, { actor, reason }: Step): Promise<boolean> {
  const last = (await readHistory(db, id)).at(-1);
  return last?.to_status === to && last.actor === actor && last.reason === reason;
}

async function step(
  context: MerchantContext,
  id: string,
  given: Step,
  action: AuditAction,
  move: (tx: Tx) => Promise<Application | undefined>,
): Promise<OperatorRefusal | null> {
  const row = await context.db.transaction().execute(async (tx) => {
    const moved = await move(tx);
    if (moved === undefined) return undefined;
    const { account_no: accountNo } = moved;
    // Include only a reason that was written for the merchant, because merchants can read this log.
    const details = moved.reason === null ? {} : { reason: moved.reason };
    await recordAudit(tx, { actor: given.actor, action, accountNo, objectId: id, details }, given.now);
    const { status, reason } = moved;
    if (status === "draft") throw new Error("Bug: an operator's action returned an application to draft");
    const { dashboardOrigin, live: isLiveOn } = context.config;
    const write = underwritingEmails(dashboardOrigin).application[status];
    await emailOwners(context, tx, accountNo, (accountName) => write({ accountName, reason, isLiveOn }));
    return moved;
  });
  if (row === undefined) return (await wasSubmitted(context.db, id)) ? "not_possible" : "missing";
  return null;
}

async function setLiveApproval(tx: Tx, { account_no }: Application, at: Date | null): Promise<void> {
  await tx.updateTable("account").set({ live_approved_at: at }).where("account_no", "=", account_no).execute();
}

async function wasSubmitted(db: Db, id: string): Promise<boolean> {
  const found = db
    .selectFrom("application")
    .select("id")
    .where(isApplication(id))
    .where("submitted_at", "is not", null);
  return (await found.executeTakeFirst()) !== undefined;
}
