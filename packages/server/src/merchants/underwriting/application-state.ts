/**
 * The state machine of an application. Each transition is one conditional update, so only one of several concurrent
 * calls succeeds. It also adds a row to the application's history. The caller writes the audit log and notifies the
 * owners.
 *
 * ```
 * (a draft is saved)
 *        | insertDraft
 *        v
 *      draft --submit--> submitted --takeIntoReview--> in_review --approve--> approved
 *                            ^                             |  |
 *                            | submit                      |  +--reject-----> rejected   (a new draft can follow)
 *                            |                             | requestInformation
 *                            +------- needs_information <--+
 * ```
 * An account has at most one application that isn't rejected; the table refuses a second one. The merchant can change
 * the application while it is `draft` or `needs_information`. Nobody can change it in other states.
 */
import { sql } from "kysely";
import type { ApplicationStatus } from "@oriel/protocol/dashboard/underwriting";
import { newId, tenantOfId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";

export type Application = Row<"application">;

/** Who makes a transition (as in the audit log), when, and why. */
export interface Step {
  actor: string;
  now: Date;
  /** Recorded in the history. */
  reason: string | null;
}

/** The states in which the merchant can change the application. */
const open: readonly ApplicationStatus[] = ["draft", "needs_information"];

/**
 * @param sealDetails returns empty details, sealed for the application's ID
 * @returns undefined if the account already has an application
 */
export async function insertDraft(
  tx: Tx,
  accountNo: number,
  sealDetails: (id: string) => Buffer,
  step: Step,
): Promise<Application | undefined> {
  const id = newId("app", step.now, { accountNo, livemode: false });
  const row = await tx
    .insertInto("application")
    .values({ id, account_no: accountNo, status: "draft", sealed_details: sealDetails(id), created_at: step.now })
    // A literal, because a prepared statement with a parameter doesn't match the partial index.
    .onConflict((conflict) => conflict.column("account_no").where("status", "<>", sql.lit("rejected")).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await writeHistory(tx, row, null, step);
  return row;
}

/** Locks the account's application until the end of the transaction, if the merchant can change it now. */
export async function lockOpen(tx: Tx, accountNo: number): Promise<Application | undefined> {
  const own = tx.selectFrom("application").selectAll().where("account_no", "=", accountNo);
  return await own.where("status", "in", open).forUpdate().executeTakeFirst();
}

/** A condition for `where`: the application with this ID, in the account that the ID names. */
export function isApplication(id: string) {
  return sql<boolean>`(application.account_no = ${tenantOfId(id)?.accountNo ?? null} and application.id = ${id})`;
}

/** Locks an application until the end of the transaction, if it is in review. */
export async function lockInReview(tx: Tx, id: string): Promise<Application | undefined> {
  const found = tx.selectFrom("application").selectAll().where(isApplication(id)).where("status", "=", "in_review");
  return await found.forUpdate().executeTakeFirst();
}

export async function submit(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, open, { status: "submitted", submitted_at: step.now, reason: null }, step);
}

export async function takeIntoReview(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, ["submitted"], { status: "in_review" }, step);
}

/** Clears the reason: the reason for an approval is for operators, not for the merchant. */
export async function approve(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, ["in_review"], { status: "approved", decided_at: step.now, reason: null }, step);
}

export async function reject(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, ["in_review"], { status: "rejected", decided_at: step.now, reason: step.reason }, step);
}

/** Returns the application to the merchant. */
export async function requestInformation(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, ["in_review"], { status: "needs_information", reason: step.reason }, step);
}

/** Returns the history, oldest first. */
export async function readHistory(db: Db, id: string): Promise<Row<"application_transition">[]> {
  const accountNo = tenantOfId(id)?.accountNo ?? null;
  const transitions = db.selectFrom("application_transition").selectAll().where("account_no", "=", accountNo);
  return await transitions.where("application_id", "=", id).orderBy("position").execute();
}

type Changes = Pick<Application, "status"> & Partial<Pick<Application, "submitted_at" | "decided_at" | "reason">>;

async function move(
  tx: Tx,
  id: string,
  from: readonly ApplicationStatus[],
  changes: Changes,
  step: Step,
): Promise<Application | undefined> {
  // Lock the row first, to know the previous status for the history.
  const locked = tx.selectFrom("application").select("status").where(isApplication(id)).where("status", "in", from);
  const before = await locked.forUpdate().executeTakeFirst();
  if (before === undefined) return undefined;
  const row = await tx
    .updateTable("application")
    .set(changes)
    .where(isApplication(id))
    .where("status", "=", before.status)
    .returningAll()
    .executeTakeFirstOrThrow();
  await writeHistory(tx, row, before.status, step);
  return row;
}

async function writeHistory(
  tx: Tx,
  { account_no, id, status }: Application,
  from: ApplicationStatus | null,
  { actor, reason, now }: Step,
): Promise<void> {
  const transition = { account_no, application_id: id, actor, from_status: from, to_status: status, reason };
  await tx
    .insertInto("application_transition")
    .values({ ...transition, created_at: now })
    .execute();
}
