import type { Context } from "../../src/http/context.ts";
import { newId } from "../../src/platform/ids.ts";

/** Adds an owner to an account, with a confirmed email address, who never signs in. */
export async function addOwner({ db, now }: Pick<Context, "db" | "now">, accountNo: number, email: string) {
  const at = now();
  const id = newId("login", at);
  const login = { id, name: "Robin Weaver", email, email_verified: true, created_at: at, updated_at: at };
  await db.insertInto("login").values(login).execute();
  await db
    .insertInto("member")
    .values({ account_no: accountNo, login_id: id, role: "owner", created_at: at })
    .execute();
}
