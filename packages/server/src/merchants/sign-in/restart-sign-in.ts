/**
 * Lets a user set up signing in with a single-use link: they choose a password, and then an authenticator app or a
 * passkey. Whatever could be used to sign in before stops working, so only the person with the link can get in.
 *
 * The link's token is one of better-auth's reset tokens. Until it's used, the user has no password, and none can be set
 * by email (`auth.ts`). Links are created only on the machine where the service runs, by someone who knows the person.
 */
import { randomBytes } from "node:crypto";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { codesOf, passwordsOf } from "./auth.ts";
import { clearAttempts } from "./lockout.ts";

const linkMs = 24 * 3_600_000;
const resetTokens = "reset-password:";

/** The path of the page that the link opens. Append `#` and the token. */
export const restartPath = "choose-password";

/** Call it in the transaction that gives a reason for it. @returns the token of the link */
export async function restartSignIn(
  tx: Tx,
  { id: loginId, email }: { id: string; email: string },
  now: Date,
): Promise<string> {
  for (const table of ["login_session", "login_passkey", "login_second_factor", "login_credential"] as const)
    await tx.deleteFrom(table).where("login_id", "=", loginId).execute();
  await tx.updateTable("login").set({ two_factor_enabled: false, updated_at: now }).where("id", "=", loginId).execute();
  await revokeLinks(tx, loginId);
  for (const key of [email, codesOf(loginId), passwordsOf(loginId)]) await clearAttempts(tx, key);
  const token = randomBytes(32).toString("base64url");
  await tx
    .insertInto("login_verification")
    .values({
      id: newId("login", now),
      identifier: resetTokens + token,
      value: loginId,
      expires_at: new Date(now.getTime() + linkMs),
      created_at: now,
      updated_at: now,
    })
    .execute();
  return token;
}

/** Makes all links with which the user could set a password stop working. */
export async function revokeLinks(tx: Tx, loginId: string): Promise<void> {
  await tx
    .deleteFrom("login_verification")
    .where("value", "=", loginId)
    .where("identifier", "like", `${resetTokens}%`)
    .execute();
}
