/**
 * Emails on their way out. An email's row is written in the transaction of the change that it reports, so it's sent
 * exactly if that is committed, whatever happens to the process or the mail server. Workers send it (`send-emails.ts`).
 *
 * The row contains single-use links, so it's sealed, and deleted once the email was sent. A database dump without the
 * service's key file reveals neither links nor recipients.
 */
import { sql } from "kysely";
import type { Config } from "../../platform/config.ts";
import { newId } from "../../platform/ids.ts";
import type { ServerKeys } from "../../platform/server-keys.ts";
import { announceFrom } from "../../platform/storage/commit-hooks.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { sealRecord, type SealedRecord } from "../sealing/sealed-records.ts";
import type { Email } from "./mailer.ts";

/** The notification channel that wakes every worker when a transaction with new emails commits. */
export const emailsChannel = "oriel_emails";

/** What writing an email needs. Commands have it too, without the rest of the service. */
export interface EmailContext {
  keys: ServerKeys;
  now: () => Date;
  config: Pick<Config, "dashboardOrigin">;
}

/**
 * The emails of one account, of one kind of news to it, or of no account. Queues take turns, so none delays another.
 */
export type EmailQueue = "sign-in" | "operators" | { accountId: string; news?: string };

/** How long sending news is retried. */
const newsMs = 3 * 24 * 3_600_000;

/**
 * @param db a transaction, unless the email reports a change that another library has already committed
 * @param more `expiresInMs`: until when it's retried; for a link, as long as the link works. `about`: for
 *   {@link dropEmailsAbout}
 */
export async function queueEmail(
  { keys, now }: Pick<EmailContext, "keys" | "now">,
  db: Db,
  queue: EmailQueue,
  email: Email,
  {
    expiresInMs = newsMs,
    delayMs = 0,
    about = null,
  }: { expiresInMs?: number | undefined; delayMs?: number; about?: string | null } = {},
): Promise<void> {
  const createdAt = now();
  const id = newId("mail", createdAt);
  const name = nameOf(queue);
  const dueAt = new Date(createdAt.getTime() + delayMs);
  await db
    .insertInto("email")
    .values({
      id,
      queue: name,
      sealed_message: sealRecord(keys, messageOf(name, id), JSON.stringify(email)),
      failure: null,
      next_try_at: dueAt,
      due_at: dueAt,
      expires_at: new Date(createdAt.getTime() + expiresInMs),
      created_at: createdAt,
      about,
    })
    .execute();
  if (delayMs === 0) announceFrom(db, emailsChannel);
}

/** Deletes emails that weren't sent yet, because their links no longer work. @param ids of what they're about */
export async function dropEmailsAbout(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom("email").where("about", "in", ids).execute();
}

/** How long emails wait that report everything that happens until they're sent. */
const collectMs = 30 * 60_000;

/**
 * Queues emails that don't say what happened, but where to look, so that one is enough for all that happens until it's
 * sent, half an hour later. There's nothing to do if they are waiting already. All their rows are locked until this
 * transaction ends, so no worker sends one before it. The lock is shared, so other transactions can rely on the same
 * emails. If a worker has locked one of them, each recipient gets a second email.
 *
 * @param queue for these emails only
 */
export async function queueCollected(
  context: Pick<EmailContext, "keys" | "now">,
  tx: Tx,
  queue: EmailQueue,
  write: () => Promise<Email[]>,
): Promise<void> {
  // A claimed email has another `next_try_at`.
  const isWaiting = sql`queue = ${nameOf(queue)} and next_try_at > ${context.now()}
    and next_try_at = created_at + ${collectMs}::integer * interval '1 millisecond'`;
  const { rows } = await sql<{ waiting: number; locked: number }>`
    with locked as materialized (select id from email where ${isWaiting} for share skip locked)
    select (select count(*)::integer from email where ${isWaiting}) as waiting,
      (select count(*)::integer from locked) as locked`.execute(tx);
  const { waiting = 0, locked = 0 } = rows[0] ?? {};
  if (locked > 0 && locked === waiting) return;
  for (const email of await write()) await queueEmail(context, tx, queue, email, { delayMs: collectMs });
}

function nameOf(queue: EmailQueue): string {
  if (typeof queue === "string") return queue;
  return queue.news === undefined ? queue.accountId : `${queue.accountId} ${queue.news}`;
}

/** The sealed message of an email. */
export function messageOf(queue: string, id: string): SealedRecord {
  return { kind: "email.message", accountNo: null, within: queue, id };
}
