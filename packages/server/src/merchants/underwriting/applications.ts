/**
 * The merchant's side of underwriting: drafting and submitting the account's application. The database contains the
 * details only as sealed by the service's key for this application.
 *
 * The routes' guard has checked that the caller may act for the account. Applications that are submitted or decided
 * can't be changed.
 *
 * Several owners can edit a draft at once. Saving and submitting name the version that the owner saw, and are refused
 * if another one has been saved since then. Pages that were loaded before an upgrade don't name one: they can save, but
 * not submit. The version is a hash of the sealed details, which are sealed with a new nonce whenever they are saved.
 * So it reveals nothing about them, and also changes when an older release saves them. A retry whose first response was
 * lost is recognized by its content.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type {
  Application as ApplicationObject,
  ApplicationDetails,
  ApplicationStep,
  SaveApplication,
  SubmitApplication,
} from "@oriel/protocol/dashboard/underwriting";
import { ChangedMeanwhileError } from "../../platform/changed-meanwhile.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { lastActor } from "../audit/last-actor.ts";
import type { MerchantContext } from "../context.ts";
import { queueCollected } from "../emails/outbox.ts";
import { emailOwners } from "../members/email-owners.ts";
import { emailOf } from "../members/members.ts";
import { operatorAddresses } from "../members/operators.ts";
import { openRecord, sealRecord, type OpensSeals, type SealedRecord } from "../sealing/sealed-records.ts";
import { checkComplete, checkGiven, toMerchantDetails } from "./application-details.ts";
import { insertDraft, lockOpen, readHistory, submit, type Application } from "./application-state.ts";
import { documentIds, listDocuments } from "./documents.ts";
import { toReviewEmail, underwritingEmails } from "./emails.ts";

type Keys = Pick<MerchantContext, "keys">;

/** Returns the account's latest application, or null if there is none. */
export async function currentApplication(context: OpensSeals, accountNo: number): Promise<ApplicationObject | null> {
  const row = await findCurrent(context.db, accountNo);
  return row === undefined ? null : await toApplication(context, accountNo, row);
}

/**
 * Replaces the draft's details. If the bank account is omitted, it keeps its value. Other omitted fields are removed.
 *
 * @param actor for the audit log
 * @throws ApiError for invalid details
 * @throws ChangedMeanwhileError if the draft isn't the version that the owner saw, and has other details than these
 * @returns `not_possible` if the application is submitted or approved
 */
export async function saveDraft(
  context: MerchantContext,
  accountNo: number,
  { version, ...given }: SaveApplication,
  actor: string,
): Promise<ApplicationObject | "not_possible"> {
  const now = context.now();
  const details = checkGiven(given, now);
  const saved = await context.db.transaction().execute(async (tx) => {
    const step = { actor, now, reason: null };
    const open = await lockOpen(tx, accountNo);
    const seal = (id: string) => sealDetails(context, accountNo, id, {});
    const created = open === undefined ? await insertDraft(tx, accountNo, seal, step) : undefined;
    // There was no open application and no draft could be created: someone else has just started one, or the merchant
    // can't change the application now.
    const row = open ?? created ?? (await lockOpen(tx, accountNo));
    if (row === undefined) return "not_possible";
    const before = openDetails(context, accountNo, row);
    const { bank_account = before.bank_account, ...rest } = details;
    const after = { ...rest, ...(bank_account && { bank_account }) };
    if (created === undefined) {
      if (isDeepStrictEqual(after, before)) return row;
      if (version !== undefined && version !== versionOf(row)) throw await changedMeanwhile(tx, accountNo, actor);
    }
    const sealed_details = sealDetails(context, accountNo, row.id, after);
    const isGiven = details.bank_account !== undefined;
    const changed = await tx
      .updateTable("application")
      .set({ sealed_details, ...(isGiven && { bank_account_set_by: actor, bank_account_set_at: now }) })
      .where("account_no", "=", accountNo)
      .where("id", "=", row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const entry = isGiven ? { details: { bank_account: "given" } } : {};
    await recordAudit(tx, { actor, action: "application.saved", accountNo, objectId: row.id, ...entry }, now);
    return changed;
  });
  return saved === "not_possible" ? saved : await toApplication(context, accountNo, saved);
}

/**
 * @param seen what the owner saw. Unseen values must not be submitted, because the owner vouches for them.
 * @throws ApiError for the first field that is missing or wrong
 * @throws ChangedMeanwhileError if the application isn't the one that the owner saw
 * @returns `not_possible` if there is no application to submit
 */
export async function submitApplication(
  context: MerchantContext,
  accountNo: number,
  seen: SubmitApplication,
  actor: string,
): Promise<ApplicationObject | "not_possible"> {
  const now = context.now();
  const submitted = await context.db.transaction().execute(async (tx) => {
    // Lock the account, so that it can't be renamed at the same time.
    await tx.selectFrom("account").select("id").where("account_no", "=", accountNo).forNoKeyUpdate().execute();
    const open = await lockOpen(tx, accountNo);
    if (open === undefined) return await findSubmitted(tx, accountNo, seen);
    const documents = await documentIds(tx, accountNo, open.id);
    if (!isSeen(open, documents, seen) || submittedAt(open) !== seen.submitted)
      throw await changedMeanwhile(tx, accountNo, actor);
    checkComplete(openDetails(context, accountNo, open), documents.length > 0);
    const row = await submit(tx, open.id, { actor, now, reason: null });
    if (row === undefined) throw new Error("Bug: an application left its state while it was locked");
    await recordAudit(
      tx,
      { actor, action: "application.submitted", accountNo, objectId: row.id, details: { from: open.status } },
      now,
    );
    const { submitted: write } = underwritingEmails(context.config.dashboardOrigin).application;
    await emailOwners(context, tx, accountNo, (accountName) => write({ accountName, reason: null }));
    await queueCollected(context, tx, "operators", async () => {
      const operators = await operatorAddresses(tx);
      return operators.map((to) => ({ to, ...toReviewEmail(context.config.dashboardOrigin) }));
    });
    return row;
  });
  if (submitted === "not_possible") return submitted;
  return await toApplication(context, accountNo, submitted);
}

/** Finds an application that was submitted as the owner saw it, in case this is a retry. */
async function findSubmitted(
  tx: Tx,
  accountNo: number,
  seen: SubmitApplication,
): Promise<Application | "not_possible"> {
  const row = await findCurrent(tx, accountNo);
  if (row === undefined || !["submitted", "in_review"].includes(row.status)) return "not_possible";
  // The owner saw it before it was submitted, and nothing else was submitted.
  const isDone = submittedAt(row) !== seen.submitted && isSeen(row, await documentIds(tx, accountNo, row.id), seen);
  return isDone ? row : "not_possible";
}

function isSeen(row: Application, documents: string[], seen: SubmitApplication): boolean {
  return versionOf(row) === seen.version && isDeepStrictEqual(documents.toSorted(), seen.documents.toSorted());
}

async function changedMeanwhile(tx: Tx, accountNo: number, actor: string): Promise<ChangedMeanwhileError> {
  const actions = [
    "application.saved",
    "application.submitted",
    "application.document_added",
    "application.document_deleted",
  ] as const;
  return new ChangedMeanwhileError("this application", { by: await lastActor(tx, accountNo, { actions }), actor });
}

/** Unseals all details. @param accountNo the caller's account, or the account whose application an operator opens */
export function openDetails(
  context: OpensSeals,
  accountNo: number,
  { id, sealed_details }: Pick<Application, "id" | "sealed_details">,
): ApplicationDetails {
  // The schema validated the details before they were sealed.
  return JSON.parse(openRecord(context, detailsOf(accountNo, id), sealed_details)) as ApplicationDetails;
}

export async function findCurrent(db: Db, accountNo: number): Promise<Application | undefined> {
  const own = db.selectFrom("application").selectAll().where("account_no", "=", accountNo);
  return await own.orderBy("id", "desc").limit(1).executeTakeFirst();
}

async function toApplication(context: OpensSeals, accountNo: number, row: Application): Promise<ApplicationObject> {
  return {
    id: row.id,
    version: versionOf(row),
    status: row.status,
    details: toMerchantDetails(openDetails(context, accountNo, row)),
    documents: await listDocuments(context, accountNo, row.id),
    reason: row.reason,
    bank_account_set: setOf(row),
    created: unixSeconds(row.created_at),
    submitted: submittedAt(row),
    decided: row.decided_at && unixSeconds(row.decided_at),
    history: (await readHistory(context.db, row.id)).map(toStep),
  };
}

function versionOf({ sealed_details }: Application): string {
  return createHash("sha256").update(sealed_details).digest("base64url");
}

function submittedAt({ submitted_at }: Application): number | null {
  return submitted_at && unixSeconds(submitted_at);
}

function setOf({
  bank_account_set_by: by,
  bank_account_set_at: at,
}: Application): ApplicationObject["bank_account_set"] {
  return by === null || at === null ? null : { by: emailOf(by), at: unixSeconds(at) };
}

/** Omits who acted, and reasons that weren't written for the merchant. */
function toStep({
  from_status: from,
  to_status: to,
  reason,
  created_at,
}: Row<"application_transition">): ApplicationStep {
  const isToMerchant = to === "needs_information" || to === "rejected";
  return { from, to, reason: isToMerchant ? reason : null, created: unixSeconds(created_at) };
}

function sealDetails({ keys }: Keys, accountNo: number, id: string, details: ApplicationDetails): Buffer {
  return sealRecord(keys, detailsOf(accountNo, id), JSON.stringify(details));
}

export function detailsOf(accountNo: number, id: string): SealedRecord {
  return { kind: "application.details", accountNo, within: "", id };
}
