/** Emails all owners of an account. */
import { withoutHidden } from "@oriel/protocol/hidden-characters";
import { isolate } from "@oriel/protocol/isolate";
import type { Tx } from "../../platform/storage/database.ts";
import type { EmailContent, Email } from "../emails/mailer.ts";
import { queueCollected, queueEmail, type EmailContext } from "../emails/outbox.ts";
import { ownerAddresses } from "./members.ts";

/**
 * One email for each owner, so that a refused address doesn't affect the others.
 *
 * @param tx the transaction of the change that the email reports
 * @param write gets the account's name without hidden characters, so it is safe to use in a sentence
 */
export async function emailOwners(
  context: EmailContext,
  tx: Tx,
  accountNo: number,
  write: (accountName: string) => EmailContent,
): Promise<void> {
  const { id, name } = await readAccount(tx, accountNo);
  for (const email of await writeToOwners(tx, accountNo, write(name)))
    await queueEmail(context, tx, { accountId: id }, email);
}

/**
 * The same for emails that say where to look ({@link queueCollected}).
 *
 * @param news what they're about, for the queue's name
 */
export async function emailOwnersCollected(
  context: EmailContext,
  tx: Tx,
  accountNo: number,
  news: string,
  write: (accountName: string) => EmailContent,
): Promise<void> {
  const { id, name } = await readAccount(tx, accountNo);
  await queueCollected(context, tx, { accountId: id, news }, () => writeToOwners(tx, accountNo, write(name)));
}

async function readAccount(tx: Tx, accountNo: number): Promise<{ id: string; name: string }> {
  const account = tx.selectFrom("account").select(["id", "name"]).where("account_no", "=", accountNo);
  const { id, name } = await account.executeTakeFirstOrThrow();
  return { id, name: isolate(withoutHidden(name)) };
}

async function writeToOwners(tx: Tx, accountNo: number, content: EmailContent): Promise<Email[]> {
  return (await ownerAddresses(tx, accountNo)).map((to) => ({ to, ...content }));
}
