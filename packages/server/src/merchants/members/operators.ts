/**
 * Operators: users of the operator console. They can't be members of a team, so that nobody can review their own
 * application. Operators can be added and removed only on the machine where the service runs.
 */
import { OperatorError } from "@oriel/commands/operator-error";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { queueEmail, type EmailContext } from "../emails/outbox.ts";
import { linkEmails } from "../sign-in/emails.ts";
import { restartSignIn, revokeLinks } from "../sign-in/restart-sign-in.ts";

export interface OperatorLogin {
  email: string;
  name: string;
  hasSecondFactor: boolean;
  created_at: Date;
}

/**
 * Makes someone an operator. Creates the user if there is none, or if the email address isn't confirmed and the user
 * may belong to someone else. Ends the user's sessions, because some may have been opened with a passkey, which
 * operators can't use.
 *
 * A user without an authenticator app has to set up signing in with a link, because otherwise anyone who knows the
 * password could set up an app and act as the operator. For an operator who hasn't done so, creates a new link.
 *
 * @param name for a new user
 * @param actor for the audit log
 * @returns the token of the link (`restart-sign-in.ts`), or null if the operator signs in as before
 * @throws OperatorError if the user is a member of a team
 */
export async function createOperator(
  db: Db,
  { email, name }: { email: string; name: string },
  now: Date,
  actor: string,
): Promise<{ linkToken: string | null }> {
  return await db.transaction().execute(async (tx) => {
    const login = (await lockConfirmedLogin(tx, email)) ?? (await addLogin(tx, email, name, now));
    const member = await tx
      .selectFrom("member")
      .innerJoin("account", "account.account_no", "member.account_no")
      .select("account.id")
      .where("login_id", "=", login.id)
      .limit(1)
      .executeTakeFirst();
    if (member !== undefined)
      throw new OperatorError(
        `${login.email} is on the team of the account ${member.id}. Operators can't be on a team. Use another email address for the operator.`,
      );
    const operator = tx.insertInto("operator").values({ login_id: login.id, created_at: now });
    const { numInsertedOrUpdatedRows } = await operator
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows !== 0n) {
      await tx.deleteFrom("login_session").where("login_id", "=", login.id).execute();
      await recordAction(tx, "operator.created", login, now, actor);
    }
    return { linkToken: login.two_factor_enabled ? null : await restartSignIn(tx, login, now) };
  });
}

/**
 * Removes an operator, starting with their next request. If they haven't used their link yet, it stops working. The
 * user is deleted only if {@link createOperator} made it and nobody has chosen a password for it.
 *
 * @returns whether the user still exists but can't sign in, because the link has replaced how they signed in before
 * @throws OperatorError if the operator doesn't exist
 */
export async function removeOperator(
  db: Db,
  email: string,
  now: Date,
  actor: string,
): Promise<{ needsReset: boolean }> {
  return await db.transaction().execute(async (tx) => {
    const login = await lockLogin(tx, email);
    const operator = tx.deleteFrom("operator").where("login_id", "=", login?.id ?? "");
    const removed = await operator.returning("created_at").executeTakeFirst();
    if (login === undefined || removed === undefined)
      throw new OperatorError(`${email} isn't an operator. To list operators, run \`oriel-server operator list\`.`);
    await recordAction(tx, "operator.removed", login, now, actor);
    const credential = tx.selectFrom("login_credential").select("id").where("login_id", "=", login.id);
    if ((await credential.executeTakeFirst()) !== undefined) return { needsReset: false };
    await revokeLinks(tx, login.id);
    // `createOperator` gives the user and the operator the same time if it makes both.
    const isMade = login.created_at.getTime() === removed.created_at.getTime();
    if (isMade) await tx.deleteFrom("login").where("id", "=", login.id).execute();
    return { needsReset: !isMade };
  });
}

/**
 * Lets a user who can't sign in anymore set up signing in again. Works for operators and for members of teams.
 *
 * @param actor for the audit log
 * @param emailContext to notify the user, who may not have requested it. Null: the user isn't notified.
 * @returns the token of the link (`restart-sign-in.ts`)
 * @throws OperatorError if there is no such user
 */
export async function resetUser(
  db: Db,
  email: string,
  now: Date,
  actor: string,
  emailContext: EmailContext | null,
): Promise<string> {
  return await db.transaction().execute(async (tx) => {
    const login = await lockConfirmedLogin(tx, email);
    if (login === undefined) throw new OperatorError(`No user has the email address ${JSON.stringify(email)}.`);
    const token = await restartSignIn(tx, login, now);
    await recordAction(tx, "login.reset", login, now, actor);
    if (emailContext !== null)
      await queueEmail(
        emailContext,
        tx,
        "sign-in",
        linkEmails(emailContext.config.dashboardOrigin).signInReset(login.email),
      );
    return token;
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

interface LockedLogin {
  id: string;
  email: string;
  email_verified: boolean;
  two_factor_enabled: boolean;
  created_at: Date;
}

async function lockLogin(tx: Tx, email: string): Promise<LockedLogin | undefined> {
  return await tx
    .selectFrom("login")
    .select(["id", "email", "email_verified", "two_factor_enabled", "created_at"])
    .where("email", "=", addressOf(email))
    .forUpdate()
    .executeTakeFirst();
}

/** Locks the user whose email address is confirmed. */
async function lockConfirmedLogin(tx: Tx, email: string): Promise<LockedLogin | undefined> {
  const login = await lockLogin(tx, email);
  return login?.email_verified === true ? login : undefined;
}

/** Replaces a user who hasn't confirmed the email address. The link goes to the right person, so it is confirmed. */
async function addLogin(tx: Tx, email: string, name: string, now: Date): Promise<LockedLogin> {
  const login = {
    id: newId("login", now),
    email: addressOf(email),
    email_verified: true,
    two_factor_enabled: false,
    created_at: now,
  };
  await tx.deleteFrom("login").where("email", "=", login.email).where("email_verified", "=", false).execute();
  await tx
    .insertInto("login")
    .values({ ...login, name, updated_at: now })
    .execute();
  return login;
}

function addressOf(email: string): string {
  return email.trim().toLowerCase();
}

async function recordAction(
  tx: Tx,
  action: "operator.created" | "operator.removed" | "login.reset",
  { id: objectId, email }: LockedLogin,
  now: Date,
  actor: string,
): Promise<void> {
  await recordAudit(tx, { actor, action, objectId, details: { email } }, now);
}

/** The email addresses of all operators. */
export async function operatorAddresses(db: Db): Promise<string[]> {
  const operators = db.selectFrom("operator").innerJoin("login", "login.id", "operator.login_id").select("login.email");
  return (await operators.orderBy("operator.created_at").execute()).map(({ email }) => email);
}
