/** Emails all owners of an account. */
import { withoutHidden } from "@oriel/protocol/hidden-characters";
import { isolate } from "@oriel/protocol/isolate";
import type { Tx } from "../../platform/storage/database.ts";
import type { Letter, Mail } from "../mail/mailer.ts";
import { queueCollected, queueEmail, type MailContext } from "../mail/outbox.ts";
import { ownerAddresses } from "./members.ts";

/**
 * One email for each owner, so that a refused address doesn't affect the others.
 *
 * @param tx the transaction of the change that the email reports
 * @param write gets the account's name without hidden characters, so it is safe to use in a sentence
 */
export async function emailOwners(
  context: MailContext,
  tx: Tx,
  accountNo: number,
  write: (accountName: string) => Letter,
): Promise<void> {
  const { id, name } = await readAccount(tx, accountNo);
  for (const mail of await writeToOwners(tx, accountNo, write(name)))
    await queueEmail(context, tx, { accountId: id }, mail);
}

/**
 * The same for emails that say where to look ({@link queueCollected}).
 *
 * @param news what they're about, for the queue's name
 */
export async function emailOwnersCollected(
  context: MailContext,
  tx: Tx,
  accountNo: number,
  news: string,
  write: (accountName: string) => Letter,
): Promise<void> {
  const { id, name } = await readAccount(tx, accountNo);
  await queueCollected(context, tx, { accountId: id, news }, () => writeToOwners(tx, accountNo, write(name)));
}

async function readAccount(tx: Tx, accountNo: number): Promise<{ id: string; name: string }> {
  const account = tx.selectFrom("account").select(["id", "name"]).where("account_no", "=", accountNo);
  const { id, name } = await account.executeTakeFirstOrThrow();
  return { id, name: isolate(withoutHidden(name)) };
}

async function writeToOwners(tx: Tx, accountNo: number, letter: Letter): Promise<Mail[]> {
  return (await ownerAddresses(tx, accountNo)).map((to) => ({ to, ...letter }));
}
