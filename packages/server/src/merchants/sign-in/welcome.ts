/** Creates the account that a new user named at sign-up, with the user as its owner. */
import type { Db } from "../../platform/storage/database.ts";
import { insertAccount } from "../accounts/accounts.ts";
import { actorName, addMember } from "../members/members.ts";

/**
 * Creates the account only once, even if called concurrently. Users who signed up to accept an invitation don't get an
 * account.
 */
export async function welcome(db: Db, { id, email }: { id: string; email: string }, now: Date): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const login = await tx
      .selectFrom("login")
      .select("pending_account_name")
      .where("id", "=", id)
      .forUpdate()
      .executeTakeFirst();
    const name = login?.pending_account_name;
    if (!name) return;
    await tx.updateTable("login").set({ pending_account_name: null }).where("id", "=", id).execute();
    const actor = actorName({ email });
    const { accountNo } = await insertAccount(tx, name, now, actor);
    await addMember(tx, accountNo, { loginId: id, email }, "owner", now, actor);
  });
}
