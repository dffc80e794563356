/** Emails all owners of an account in the background, so that a slow mail server doesn't delay the response. */
import { withoutHidden } from "@oriel/protocol/hidden-characters";
import { isolate } from "@oriel/protocol/isolate";
import { accountName } from "../accounts/accounts.ts";
import type { MerchantContext } from "../context.ts";
import type { Letter } from "../mail/mailer.ts";
import { ownerAddresses } from "./members.ts";

/**
 * Must be called after the change is committed.
 * @param write gets the account's name without hidden characters, so it is safe to use in a sentence
 */
export function emailOwners(
  { db, mailer, inBackground }: Pick<MerchantContext, "db" | "mailer" | "inBackground">,
  accountNo: number,
  write: (accountName: string) => Letter,
): void {
  const sendAll = async () => {
    const letter = write(isolate(withoutHidden(await accountName(db, accountNo))));
    const owners = await ownerAddresses(db, accountNo);
    const sent = await Promise.allSettled(owners.map((to) => mailer.send({ to, ...letter })));
    const failed = sent.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };
  inBackground("email an account's owners", sendAll());
}
