/** Reads for the operator console: the queue of applications, one application in full, and accounts. */
import { sql } from "kysely";
import type {
  AccountFound,
  OperatorAccount,
  OperatorApplication,
  QueuedApplication,
  QueuePage,
} from "@oriel/protocol/dashboard/underwriting";
import type { PlatformContext } from "../../platform/context.ts";
import type { Db } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { listMembers } from "../members/members.ts";
import type { OpensSeals } from "../sealing/sealed-records.ts";
import { isApplication, readHistory } from "./application-state.ts";
import { openDetails } from "./applications.ts";
import { listDocuments } from "./documents.ts";

export interface QueueRequest {
  status?: QueuedApplication["status"] | undefined;
  limit?: string | undefined;
  /** An application's ID; returns applications that were submitted after it. */
  starting_after?: string | undefined;
}

const maxAccountsFound = 50;
/** Sorts after every other character, so `search + lastCharacter` is the upper bound of a prefix search. */
const lastCharacter = "\u{10ffff}";

/** Lists submitted applications. Those that have waited longest come first. */
export async function listQueue(
  db: Db,
  { status, limit = "20", starting_after: after }: QueueRequest,
): Promise<QueuePage> {
  let query = queued(db)
    .where("submitted_at", "is not", null)
    .orderBy("submitted_at")
    .orderBy("application.id")
    .limit(Number(limit) + 1);
  if (status !== undefined) query = query.where("application.status", "=", status);
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(submitted_at, application.id) > (select submitted_at, id from application where ${isApplication(after)})`,
    );
  const rows = await query.execute();
  return { data: rows.slice(0, Number(limit)).map(toQueued), has_more: rows.length > Number(limit) };
}

/** Returns undefined if the application doesn't exist or was never submitted. */
export async function viewApplication(
  context: OpensSeals & Pick<PlatformContext, "vault">,
  id: string,
): Promise<OperatorApplication | undefined> {
  const { db } = context;
  const found = queued(db).select("sealed_details").where(isApplication(id)).where("submitted_at", "is not", null);
  const row = await found.executeTakeFirst();
  if (row === undefined) return undefined;
  const merchant = await viewAccount(context, row.account_id);
  if (merchant === undefined) throw new Error("Bug: an application without an account");
  const history = await readHistory(db, id);
  return {
    ...toQueued(row),
    details: openDetails(context, row.account_no, row),
    documents: await listDocuments(context, row.account_no, id),
    history: history.map(({ actor, from_status: from, to_status: to, reason, created_at }) => ({
      actor,
      from,
      to,
      reason,
      created: unixSeconds(created_at),
    })),
    merchant,
  };
}

/** Finds accounts by ID, an owner's email address, or a prefix of the name. Each search uses an index. */
export async function findAccounts(db: Db, search: string): Promise<AccountFound[]> {
  const accounts = db.selectFrom("account").selectAll("account").orderBy("account.id", "desc").limit(maxAccountsFound);
  const words = search.trim();
  if (words === "") return (await accounts.execute()).map(toFound);
  if (/^acct_[0-9a-z]+$/.test(words)) return (await accounts.where("id", "=", words).execute()).map(toFound);
  if (words.includes("@")) {
    const owned = accounts
      .innerJoin("member", "member.account_no", "account.account_no")
      .where("member.role", "=", "owner");
    const byAddress = owned
      .innerJoin("login", "login.id", "member.login_id")
      .where("login.email", "=", words.toLowerCase());
    return (await byAddress.execute()).map(toFound);
  }
  const name = sql`lower(name) collate "C"`;
  const begins = sql<boolean>`${name} >= lower(${words}::text) and ${name} < lower(${words}::text) || ${lastCharacter}`;
  // Sorted by name, like the index. Sorting by age would have to read every match, of which there could be a million.
  const byName = accounts.clearOrderBy().where(begins).orderBy(name).orderBy("id");
  return (await byName.execute()).map(toFound);
}

/** Returns undefined if the account doesn't exist. */
export async function viewAccount(
  { db, vault }: Pick<PlatformContext, "db" | "vault">,
  id: string,
): Promise<OperatorAccount | undefined> {
  const account = await db.selectFrom("account").selectAll().where("id", "=", id).executeTakeFirst();
  if (account === undefined) return undefined;
  const members = await listMembers(db, account.account_no);
  const applications = await db
    .selectFrom("application")
    .select(["id", "status", "submitted_at"])
    .where("account_no", "=", account.account_no)
    .where("submitted_at", "is not", null)
    .orderBy("id", "desc")
    .limit(100)
    .execute();
  return {
    ...toFound(account),
    acquirer: { has_bank: vault.live !== null, merchant_id: account.acquirer_merchant_id },
    members: members.map(({ name, email, role, created_at }) => ({
      name,
      email,
      role,
      created: unixSeconds(created_at),
    })),
    applications: applications.map(({ id, status, submitted_at }) => ({
      id,
      status,
      submitted: submitted_at && unixSeconds(submitted_at),
    })),
  };
}

function queued(db: Db) {
  return db
    .selectFrom("application")
    .innerJoin("account", "account.account_no", "application.account_no")
    .select(["application.id", "application.account_no", "application.status"])
    .select(["account.id as account_id", "account.name as account_name"])
    .select(["application.created_at", "submitted_at", "decided_at"]);
}

type QueuedRow = Pick<
  Row<"application">,
  "id" | "account_no" | "status" | "created_at" | "submitted_at" | "decided_at"
> & {
  account_id: string;
  account_name: string;
};

function toQueued(row: QueuedRow): QueuedApplication {
  return {
    id: row.id,
    account: { id: row.account_id, name: row.account_name },
    status: row.status,
    created: unixSeconds(row.created_at),
    submitted: row.submitted_at && unixSeconds(row.submitted_at),
    decided: row.decided_at && unixSeconds(row.decided_at),
  };
}

function toFound({ id, name, status, live_approved_at, created_at }: Row<"account">): AccountFound {
  return { id, name, status, is_live_approved: live_approved_at !== null, created: unixSeconds(created_at) };
}
