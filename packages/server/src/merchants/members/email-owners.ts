/** Emails all owners of an account. */
import { withoutHidden } from "@oriel/protocol/hidden-characters";
import { isolate } from "@oriel/protocol/isolate";
import type { Tx } from "../../platform/storage/database.ts";
import type { Letter } from "../mail/mailer.ts";
import { queueEmail, type MailContext } from "../mail/outbox.ts";
import { ownerAddresses } from "./members.ts";

/**
 * One email for each owner, so that a refused address doesn't affect the others.
 *
 * @param tx the transaction of the change that the email tells about
 * @param write gets the account's name without hidden characters, so it is safe to use in a sentence
 */
export async function emailOwners(
  context: MailContext,
  tx: Tx,
  accountNo: number,
  write: (accountName: string) => Letter,
): Promise<void> {
  const account = tx.selectFrom("account").select(["id", "name"]).where("account_no", "=", accountNo);
  const { id, name } = await account.executeTakeFirstOrThrow();
  const letter = write(isolate(withoutHidden(name)));
  for (const to of await ownerAddresses(tx, accountNo))
    await queueEmail(context, tx, { accountId: id }, { to, ...letter });
}
