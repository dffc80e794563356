/** Sends a letter to every owner of an account, behind the answer: that somebody's mail is slow must not hold up what was decided. */
import { accountName } from "../accounts/accounts.ts";
import type { Context } from "../context.ts";
import { listMembers } from "../members/members.ts";
import type { About, Letter } from "./mails.ts";

/** To be called once the change has been committed. */
export function tellOwners(
  context: Pick<Context, "db" | "mailer" | "inBackground">,
  accountId: string,
  reason: string | null,
  write: (about: About) => Letter,
): void {
  context.inBackground("tell an account's owners", tell(context, accountId, reason, write));
}

async function tell(
  { db, mailer }: Pick<Context, "db" | "mailer">,
  accountId: string,
  reason: string | null,
  write: (about: About) => Letter,
): Promise<void> {
  const letter = write({ accountName: await accountName(db, accountId), reason });
  const owners = (await listMembers(db, accountId)).filter(({ role }) => role === "owner");
  const sent = await Promise.allSettled(owners.map(({ email }) => mailer.send({ to: email, ...letter })));
  const failed = sent.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
