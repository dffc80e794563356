/** Gives an account that was created on the command line its first owner. */
import { OperatorError } from "@oriel/commands/operator-error";
import { isolate } from "@oriel/protocol/isolate";
import type { Db } from "../../platform/storage/database.ts";
import type { Email } from "../emails/mailer.ts";
import { linkEmails } from "../sign-in/emails.ts";
import { addMember, invite } from "./members.ts";

/** How the invitation describes who sent it. */
const inviterName = "The operator of this service";

/** @throws OperatorError if the person can't join a team. Call this before the account is created. */
export async function refuseOperator(db: Db, email: string): Promise<void> {
  const operator = db
    .selectFrom("operator")
    .innerJoin("login", "login.id", "operator.login_id")
    .select("login.id")
    .where("login.email", "=", email.toLowerCase());
  if ((await operator.executeTakeFirst()) === undefined) return;
  throw new OperatorError(
    `${email} is an operator, and operators can't be on a team. Choose another email address for the owner.`,
  );
}

/**
 * Makes the user with this email address an owner. If no user has it, or if it isn't confirmed and may belong to
 * someone else, invites the person.
 *
 * @param account its name must have passed `faultOfName`, because the email contains it
 * @param actor for the audit log
 * @returns the invitation's email, which the caller sends, or null if the user is an owner now
 */
export async function nameOwner(
  db: Db,
  account: { accountNo: number; name: string },
  email: string,
  dashboardOrigin: string,
  now: Date,
  actor: string,
): Promise<{ email: Email; link: string } | null> {
  const isOwner = await db.transaction().execute(async (tx) => {
    const login = await tx
      .selectFrom("login")
      .select(["id", "email"])
      .where("email", "=", email.toLowerCase())
      .where("email_verified", "=", true)
      .forUpdate()
      .executeTakeFirst();
    if (login === undefined) return false;
    await addMember(tx, account.accountNo, { loginId: login.id, email: login.email }, "owner", now, actor);
    return true;
  });
  if (isOwner) return null;
  const invited = await invite(
    db,
    account.accountNo,
    { email, role: "owner" },
    { name: inviterName, actor },
    now,
    async () => {},
  );
  if (typeof invited === "string") throw new Error(`Bug: a new account's team refuses its owner: ${invited}`);
  const { token } = invited;
  const facts = { accountName: isolate(account.name), invitedBy: inviterName, token };
  return {
    email: linkEmails(dashboardOrigin).invitation(email, facts),
    link: `${dashboardOrigin}/invitation#${token}`,
  };
}
