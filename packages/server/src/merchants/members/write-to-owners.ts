/**
 * Sends a letter to every owner of an account, behind the answer: that somebody's mail is slow must not hold up what
 * was done.
 */
import { withoutHidden } from "@oriel/protocol/foreign-text";
import { isolate } from "@oriel/protocol/isolate";
import { accountName } from "../accounts/accounts.ts";
import type { MerchantContext } from "../context.ts";
import type { Letter } from "../mail/mailer.ts";
import { ownerAddresses } from "./members.ts";

/**
 * To be called once the change has been committed.
 * @param write gets the account's name as it may stand in a sentence
 */
export function writeToOwners(
  { db, mailer, inBackground }: Pick<MerchantContext, "db" | "mailer" | "inBackground">,
  accountId: string,
  write: (accountName: string) => Letter,
): void {
  const sendAll = async () => {
    const letter = write(isolate(withoutHidden(await accountName(db, accountId))));
    const owners = await ownerAddresses(db, accountId);
    const sent = await Promise.allSettled(owners.map((to) => mailer.send({ to, ...letter })));
    const failed = sent.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };
  inBackground("write to an account's owners", sendAll());
}
