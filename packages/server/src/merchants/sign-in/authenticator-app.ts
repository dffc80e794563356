/** Taking an authenticator app from a login, and its recovery codes with it. better-auth adds one (`auth.ts`). */
import type { Db } from "../../platform/storage/database.ts";
import type { Visitor } from "./visitor.ts";

/** A login keeps a second factor: without a passkey the app stays. It waits for a passkey that is being removed at the same moment. */
export async function removeAuthenticator(db: Db, { loginId }: Visitor): Promise<"removed" | "missing" | "last"> {
  return await db.transaction().execute(async (tx) => {
    const login = tx.selectFrom("login").select("two_factor_enabled").where("id", "=", loginId).forUpdate();
    if (!(await login.executeTakeFirstOrThrow()).two_factor_enabled) return "missing";
    const passkey = tx.selectFrom("login_passkey").select("id").where("login_id", "=", loginId);
    if ((await passkey.executeTakeFirst()) === undefined) return "last";
    await tx.deleteFrom("login_second_factor").where("login_id", "=", loginId).execute();
    await tx.updateTable("login").set({ two_factor_enabled: false }).where("id", "=", loginId).execute();
    return "removed";
  });
}
