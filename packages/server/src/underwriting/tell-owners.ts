/** Tells the owners of an account by mail what became of it, or of its application. */
import type { Context } from "../context.ts";
import type { Letter } from "../mail/mailer.ts";
import { writeToOwners } from "../members/write-to-owners.ts";
import type { About } from "./mails.ts";

/** To be called once the change has been committed. */
export function tellOwners(
  context: Pick<Context, "db" | "mailer" | "inBackground">,
  accountId: string,
  reason: string | null,
  write: (about: About) => Letter,
): void {
  writeToOwners(context, accountId, (accountName) => write({ accountName, reason }));
}
