/**
 * Operators: users of the operator console. They can't be members of a team, so that nobody can review their own
 * application. Operators can be added and removed only on the machine where the service runs.
 */
import { recordAudit } from "../audit/audit-log.ts";
import { OperatorError } from "@oriel/commands/operator-error";
import type { Db, Tx } from "../../platform/storage/database.ts";

export interface OperatorLogin {
  email: string;
  name: string;
  hasSecondFactor: boolean;
  created_at: Date;
}

/**
 * Makes a user an operator; does nothing if they already are one. Ends the user's sessions, because some may have been
 * opened with a passkey, which operators can't use.
 *
 * @param actor for the audit log
 * @throws OperatorError if the user doesn't exist, is unverified, has no authenticator app, or is a member of a team
 */
export async function createOperator(db: Db, email: string, now: Date, actor: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const login = await lockLogin(tx, email);
    if (!login.email_verified)
      throw new OperatorError(
        `The email address ${login.email} hasn't been confirmed yet. Ask the user to open the link in the confirmation email.`,
      );
    // Without an authenticator app, anyone who knows the password could set one up and act as the operator.
    if (!login.two_factor_enabled)
      throw new OperatorError(
        `${login.email} hasn't set up an authenticator app. Ask the user to sign in and set one up first.`,
      );
    const member = await tx
      .selectFrom("member")
      .innerJoin("account", "account.account_no", "member.account_no")
      .select("account.id")
      .where("login_id", "=", login.id)
      .limit(1)
      .executeTakeFirst();
    if (member !== undefined)
      throw new OperatorError(
        `${login.email} is on the team of the account ${member.id}. Operators can't be on a team. Ask the user to sign up with another email address.`,
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

/** Removes an operator, starting with their next request. @throws OperatorError if the operator doesn't exist */
export async function removeOperator(db: Db, email: string, now: Date, actor: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const login = await lockLogin(tx, email);
    const { numDeletedRows } = await tx.deleteFrom("operator").where("login_id", "=", login.id).executeTakeFirst();
    if (numDeletedRows === 0n)
      throw new OperatorError(
        `${login.email} isn't an operator. To list operators, run \`oriel-server operator list\`.`,
      );
    await recordAudit(
      tx,
      { actor, action: "operator.removed", objectId: login.id, details: { email: login.email } },
      now,
    );
  });
}

/** Lists up to a thousand operators, oldest first. */
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
      `There is no user with the email address ${JSON.stringify(email)}. Ask the user to sign up in the dashboard first.`,
    );
  return login;
}
