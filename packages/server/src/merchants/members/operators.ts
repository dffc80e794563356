/**
 * Operators: logins that work in the console and are of no team, so that nobody decides about an account of their own.
 * Who is one is said on the machine where the service runs, and nowhere else.
 */
import { recordAudit } from "../audit/audit-log.ts";
import { OperatorError } from "../../platform/operator-error.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";

export interface OperatorLogin {
  email: string;
  name: string;
  hasSecondFactor: boolean;
  created_at: Date;
}

/**
 * One who is an operator already stays so. Its sessions end: some may have been opened by a passkey, which opens
 * nothing to operators.
 *
 * @param actor for the audit log
 * @throws OperatorError for a login that is not there, not verified, without an authenticator app, or of a team
 */
export async function createOperator(db: Db, email: string, now: Date, actor: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const login = await lockLogin(tx, email);
    if (!login.email_verified)
      throw new OperatorError(`${login.email} has not confirmed the address yet. The link is in their mail.`);
    // Whoever knew the password alone could set one up, and would be the operator.
    if (!login.two_factor_enabled)
      throw new OperatorError(`${login.email} has no authenticator app yet. Have them sign in and set one up first.`);
    const member = await tx
      .selectFrom("member")
      .select("account_id")
      .where("login_id", "=", login.id)
      .limit(1)
      .executeTakeFirst();
    if (member !== undefined)
      throw new OperatorError(
        `${login.email} is of the team of ${member.account_id}, and an operator is of no team. Have them sign up with another address.`,
      );
    const operator = tx.insertInto("operator").values({ login_id: login.id, created_at: now });
    const { numInsertedOrUpdatedRows } = await operator
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) return;
    await tx.deleteFrom("login_session").where("login_id", "=", login.id).execute();
    await recordAudit(
      tx,
      { actor, action: "operator.created", objectId: login.id, details: { email: login.email } },
      now,
    );
  });
}

/** From their next request on. @throws OperatorError when there is no such operator */
export async function removeOperator(db: Db, email: string, now: Date, actor: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const login = await lockLogin(tx, email);
    const { numDeletedRows } = await tx.deleteFrom("operator").where("login_id", "=", login.id).executeTakeFirst();
    if (numDeletedRows === 0n) throw new OperatorError(`${login.email} is no operator. See \`oriel operator list\`.`);
    await recordAudit(
      tx,
      { actor, action: "operator.removed", objectId: login.id, details: { email: login.email } },
      now,
    );
  });
}

/** Oldest first, a thousand at most. */
export async function listOperators(db: Db): Promise<OperatorLogin[]> {
  const rows = await db
    .selectFrom("operator")
    .innerJoin("login", "login.id", "operator.login_id")
    .select(["login.email", "login.name", "login.two_factor_enabled", "operator.created_at"])
    .orderBy("operator.created_at")
    .limit(1000)
    .execute();
  return rows.map(({ two_factor_enabled, ...row }) => ({ ...row, hasSecondFactor: two_factor_enabled }));
}

async function lockLogin(tx: Tx, email: string) {
  const login = await tx
    .selectFrom("login")
    .select(["id", "email", "email_verified", "two_factor_enabled"])
    .where("email", "=", email.trim().toLowerCase())
    .forUpdate()
    .executeTakeFirst();
  if (login === undefined)
    throw new OperatorError(
      `Nobody has signed up with ${JSON.stringify(email)}. Have them sign up at the dashboard first.`,
    );
  return login;
}
