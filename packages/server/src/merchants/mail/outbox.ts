/**
 * Emails on their way out. An email's row is written in the transaction of what it tells about, so it's sent exactly if
 * that is committed, whatever happens to the process or the mail server. Workers send it (`send-emails.ts`).
 *
 * The row contains single-use links, so it's sealed, and deleted once the email was sent. A database dump without the
 * service's key file reveals neither links nor recipients.
 */
import type { Config } from "../../platform/config.ts";
import { newId } from "../../platform/ids.ts";
import type { ServerKeys } from "../../platform/server-keys.ts";
import { announceFrom } from "../../platform/storage/commit-hooks.ts";
import type { Db } from "../../platform/storage/database.ts";
import { sealRecord, type SealedRecord } from "../audit/sealed-records.ts";
import type { Mail } from "./mailer.ts";

/** The notification channel that wakes every worker when a transaction with new emails commits. */
export const emailsChannel = "oriel_emails";

/** What writing an email needs. Commands have it too, without the rest of the service. */
export interface MailContext {
  keys: ServerKeys;
  now: () => Date;
  config: Pick<Config, "dashboardOrigin">;
}

/** The emails of one account, or of none. Queues take turns, so none delays another. */
export type MailQueue = "sign-in" | "operators" | { accountId: string };

/** How long sending news is retried. */
const newsMs = 3 * 24 * 3_600_000;

/**
 * @param db a transaction, unless the email tells about a change that another library has already committed
 * @param expiresInMs until when it's retried. For a link, as long as the link works.
 */
export async function queueEmail(
  { keys, now }: Pick<MailContext, "keys" | "now">,
  db: Db,
  queue: MailQueue,
  mail: Mail,
  expiresInMs = newsMs,
): Promise<void> {
  const createdAt = now();
  const id = newId("mail", createdAt);
  const name = typeof queue === "string" ? queue : queue.accountId;
  await db
    .insertInto("email")
    .values({
      id,
      queue: name,
      sealed_message: sealRecord(keys, messageOf(name, id), JSON.stringify(mail)),
      failure: null,
      next_try_at: createdAt,
      expires_at: new Date(createdAt.getTime() + expiresInMs),
      created_at: createdAt,
    })
    .execute();
  announceFrom(db, emailsChannel);
}

/** The sealed message of an email. */
export function messageOf(queue: string, id: string): SealedRecord {
  return { kind: "email.message", accountNo: null, within: queue, id };
}
