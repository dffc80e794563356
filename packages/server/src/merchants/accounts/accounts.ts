/**
 * Accounts: the merchants. While an account is suspended, its keys are refused (`account_suspended`) and its sessions
 * take no new payments. It can be resumed. Each change is recorded in the audit log in the same transaction.
 */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { OperatorError } from "@oriel/commands/operator-error";
import { ChangedMeanwhileError } from "../../platform/changed-meanwhile.ts";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { lastActor } from "../audit/last-actor.ts";
import { canStartPayments, type AcquirerChoice } from "./live-mode.ts";

export type AccountStatus = Row<"account">["status"];

/** An account's public ID, and its key in the database. */
export interface Account {
  id: string;
  accountNo: number;
}

/** @param actor for the audit log */
export async function createAccount(db: Db, name: string, now: Date, actor = "service"): Promise<Account> {
  return await db.transaction().execute((tx) => insertAccount(tx, name, now, actor));
}

/** For callers that create other rows in the same transaction. */
export async function insertAccount(tx: Tx, name: string, now: Date, actor: string): Promise<Account> {
  const id = newId("acct", now);
  const number = sql<number>`floor(random() * 1024)`;
  await tx
    .insertInto("installation")
    .values({ number })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const installation = await tx.selectFrom("installation").select("number").executeTakeFirstOrThrow();
  const accountNo = installation.number * 2 ** 40 + randomBytes(5).readUIntBE(0, 5);
  await tx.insertInto("account").values({ account_no: accountNo, id, name, created_at: now }).execute();
  await recordAudit(tx, { actor, action: "account.created", accountNo, objectId: id }, now);
  return { id, accountNo };
}

/**
 * Suspends or resumes an account, starting with the next request. Work in progress continues to its end.
 *
 * @param more `reason` is for the audit log. `notifyOwners` is called if the status has changed, in the same transaction.
 * @returns whether the status has changed
 * @throws OperatorError if the account doesn't exist
 */
export async function setAccountStatus(
  db: Db,
  id: string,
  status: AccountStatus,
  now: Date,
  actor: string,
  { reason, notifyOwners }: { reason?: string; notifyOwners?: NotifyOwners } = {},
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    const account = tx.selectFrom("account").select(["account_no", "status"]).where("id", "=", id);
    const before = await account.forNoKeyUpdate().executeTakeFirst();
    if (before === undefined) throw accountMissing(id);
    if (before.status === status) return false;
    const { account_no: accountNo } = before;
    await tx.updateTable("account").set({ status }).where("account_no", "=", accountNo).execute();
    const action = status === "suspended" ? "account.suspended" : "account.resumed";
    const details = reason === undefined ? {} : { reason };
    await recordAudit(tx, { actor, action, accountNo, objectId: id, details }, now);
    await notifyOwners?.(tx, accountNo);
    return true;
  });
}

/** Emails an account's owners about a change, in the change's transaction. */
export type NotifyOwners = (tx: Tx, accountNo: number) => Promise<void>;

/** Lists up to a thousand accounts, oldest first. */
export async function listAccounts(db: Db): Promise<Row<"account">[]> {
  return await db.selectFrom("account").selectAll().orderBy("id").limit(1000).execute();
}

export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.selectFrom("account").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** Finds an account by its public ID. @throws OperatorError if it doesn't exist */
export async function findAccountNo(db: Db, id: string): Promise<number> {
  const account = await db.selectFrom("account").select("account_no").where("id", "=", id).executeTakeFirst();
  if (account === undefined) throw accountMissing(id);
  return account.account_no;
}

/** The name that customers and banks see as the seller. */
export async function accountName(db: Db, accountNo: number): Promise<string> {
  const account = db.selectFrom("account").select("name").where("account_no", "=", accountNo);
  return (await account.executeTakeFirstOrThrow()).name;
}

/**
 * Returns the acquirer for the account's new payments, or null if customers can't pay. The account must be active, and in
 * live mode it needs an acquirer.
 */
export async function acquirerForPayments(db: Db, tenant: Tenant): Promise<AcquirerChoice | null> {
  const { status, ...choice } = await readAcquirer(db, tenant);
  return status === "active" && canStartPayments(tenant, choice) ? choice : null;
}

export async function readAcquirer(db: Db, tenant: Tenant): Promise<AcquirerChoice & Pick<Row<"account">, "status">> {
  return await db
    .selectFrom("account")
    .leftJoin("acquirer_account", (join) =>
      join
        .onRef("acquirer_account.account_no", "=", "account.account_no")
        .on("acquirer_account.livemode", "=", tenant.livemode)
        .on("acquirer_account.replaced_at", "is", null),
    )
    .select(["account.status", "acquirer_merchant_id as acquirerMerchantId"])
    .select("acquirer_account.id as acquirerAccountId")
    .where("account.account_no", "=", tenant.accountNo)
    .executeTakeFirstOrThrow();
}

/**
 * Sets the account's merchant ID at the live acquirer, or removes it. Payments that have already started keep the
 * previous ID.
 *
 * @param merchantId null removes it
 * @param options.seen the merchant ID that the operator saw, if it must not have changed since then
 * @param options.notifyOwners called if it has changed
 * @throws OperatorError if the account doesn't exist
 * @throws ChangedMeanwhileError if it isn't the one that the operator saw
 */
export async function setAcquirer(
  db: Db,
  id: string,
  merchantId: string | null,
  now: Date,
  actor: string,
  { seen, notifyOwners }: { seen?: string | null | undefined; notifyOwners?: NotifyOwners } = {},
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const account = await tx
      .selectFrom("account")
      .select(["account_no", "acquirer_merchant_id"])
      .where("id", "=", id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (account === undefined) throw accountMissing(id);
    const { account_no: accountNo, acquirer_merchant_id: before } = account;
    if (before === merchantId) return;
    if (seen !== undefined && before !== seen) {
      const change = { actions: ["account.acquirer_set", "account.acquirer_removed"] } as const;
      throw new ChangedMeanwhileError("the merchant ID", { by: await lastActor(tx, accountNo, change), actor });
    }
    await tx
      .updateTable("account")
      .set({ acquirer_merchant_id: merchantId })
      .where("account_no", "=", accountNo)
      .execute();
    const action = merchantId === null ? "account.acquirer_removed" : "account.acquirer_set";
    const details = {
      ...(before === null ? {} : { before }),
      ...(merchantId === null ? {} : { merchant_id: merchantId }),
    };
    await recordAudit(tx, { actor, action, accountNo, objectId: id, details }, now);
    await notifyOwners?.(tx, accountNo);
  });
}

function accountMissing(id: string): OperatorError {
  return new OperatorError(
    `There is no account with the ID ${JSON.stringify(id)}. To list accounts, run \`oriel-server account list\`.`,
  );
}
