/**
 * The state machine of an application. Every transition is one conditional update: it happens once, whoever races for
 * it, or not at all. It writes its line of the history with it; the caller writes the audit log, and has the owners
 * told.
 *
 * ```
 * (a draft is saved)
 *        | insertDraft
 *        v
 *      draft --submit--> submitted --takeIntoReview--> in_review --approve--> approved
 *                            ^                             |  |
 *                            | submit                      |  +--reject-----> rejected   (another draft may follow)
 *                            |                             | ask
 *                            +------- needs_information <--+
 * ```
 * An account has one application that was not rejected; the table itself refuses a second one. `draft` and
 * `needs_information` are the merchant's to change, the others nobody's.
 */
import { sql } from "kysely";
import type { ApplicationStatus } from "@oriel/protocol/dashboard-underwriting";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";

export type Application = Row<"application">;

/** Who does it, as the audit log names them, when, and what they say about it. */
export interface Step {
  actor: string;
  now: Date;
  /** For the history. */
  reason: string | null;
}

/** The merchant may change what it says. */
const open: readonly ApplicationStatus[] = ["draft", "needs_information"];

/** @param sealDetails what an empty one says, sealed for the id. Undefined: the account has one already */
export async function insertDraft(
  tx: Tx,
  accountId: string,
  sealDetails: (id: string) => Buffer,
  step: Step,
): Promise<Application | undefined> {
  const id = newId("app", step.now);
  const row = await tx
    .insertInto("application")
    .values({ id, account_id: accountId, status: "draft", sealed_details: sealDetails(id), created_at: step.now })
    // Written out: for a value that is only bound, a prepared statement does not find the index.
    .onConflict((conflict) => conflict.column("account_id").where("status", "<>", sql.lit("rejected")).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await writeHistory(tx, row, null, step);
  return row;
}

/** The account's own, while it may be changed, and nobody else does until the end of the transaction. */
export async function lockOpen(tx: Tx, accountId: string): Promise<Application | undefined> {
  const own = tx.selectFrom("application").selectAll().where("account_id", "=", accountId);
  return await own.where("status", "in", open).forUpdate().executeTakeFirst();
}

/**
 * In review, with what was submitted: it neither leaves review nor comes back to it until the end of the transaction.
 */
export async function lockInReview(tx: Tx, id: string): Promise<Application | undefined> {
  const found = tx.selectFrom("application").selectAll().where("id", "=", id).where("status", "=", "in_review");
  return await found.forUpdate().executeTakeFirst();
}

export async function submit(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, open, { status: "submitted", submitted_at: step.now, reason: null }, step);
}

export async function takeIntoReview(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, ["submitted"], { status: "in_review" }, step);
}

/** What operators say to each other about an approval is not for the merchant. */
export async function approve(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, ["in_review"], { status: "approved", decided_at: step.now, reason: null }, step);
}

export async function reject(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, ["in_review"], { status: "rejected", decided_at: step.now, reason: step.reason }, step);
}

/** Gives it back to the merchant. */
export async function ask(tx: Tx, id: string, step: Step): Promise<Application | undefined> {
  return await move(tx, id, ["in_review"], { status: "needs_information", reason: step.reason }, step);
}

/** Oldest first. */
export async function readHistory(db: Db, id: string): Promise<Row<"application_transition">[]> {
  const transitions = db.selectFrom("application_transition").selectAll().where("application_id", "=", id);
  return await transitions.orderBy("position").execute();
}

type Changes = Pick<Application, "status"> & Partial<Pick<Application, "submitted_at" | "decided_at" | "reason">>;

async function move(
  tx: Tx,
  id: string,
  from: readonly ApplicationStatus[],
  changes: Changes,
  step: Step,
): Promise<Application | undefined> {
  // The row is locked first, so that the history can say what it was.
  const locked = tx.selectFrom("application").select("status").where("id", "=", id).where("status", "in", from);
  const before = await locked.forUpdate().executeTakeFirst();
  if (before === undefined) return undefined;
  const row = await tx
    .updateTable("application")
    .set(changes)
    .where("id", "=", id)
    .where("status", "=", before.status)
    .returningAll()
    .executeTakeFirstOrThrow();
  await writeHistory(tx, row, before.status, step);
  return row;
}

async function writeHistory(
  tx: Tx,
  { id, status }: Application,
  from: ApplicationStatus | null,
  { actor, reason, now }: Step,
): Promise<void> {
  const transition = { application_id: id, actor, from_status: from, to_status: status, reason, created_at: now };
  await tx.insertInto("application_transition").values(transition).execute();
}
