/** Accounts: the merchants. */
import { newId } from "../ids.ts";
import type { Db } from "../storage/database.ts";

export async function createAccount(db: Db, name: string, now: Date): Promise<string> {
  const id = newId("acct", now);
  await db.insertInto("account").values({ id, name, created_at: now }).execute();
  return id;
}

export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.selectFrom("account").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** What customers and banks see as the seller. */
export async function accountName(db: Db, id: string): Promise<string> {
  return (await db.selectFrom("account").select("name").where("id", "=", id).executeTakeFirstOrThrow()).name;
}
