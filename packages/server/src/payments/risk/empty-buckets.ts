/**
 * Notifies merchants that an account's tokens for new customers are used up (`bucket.ts`), so that some new customers
 * can't pay. At most once a day for each account and mode. Runs in a worker.
 */
import type { EmailContent } from "../../merchants/emails/mailer.ts";
import type { EmailContext } from "../../merchants/emails/outbox.ts";
import { emailOwners } from "../../merchants/members/email-owners.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { takeDue } from "../../platform/storage/per-owner.ts";
import type { Row } from "../../platform/storage/tables.ts";

/** Emails the owners. @returns the buckets that were found empty */
export async function takeEmptyBuckets(
  context: Pick<PlatformContext, "db" | "nodes" | "now" | "log"> & EmailContext,
  limit: number,
): Promise<Row<"admission">[]> {
  const { db, now, log } = context;
  const time = now();
  const taken = await takeDue(context, {
    step: "report empty buckets",
    due: db
      .selectFrom("admission")
      .select(["account_no", "livemode", "empty_at as id"])
      .$narrowType<{ id: Date }>()
      .where("empty_at", "is not", null)
      .orderBy("empty_at"),
    column: "empty_at",
    limit,
    take: async (areTaken) =>
      await db.transaction().execute(async (tx) => {
        const notified = { empty_at: null, empty_notified_at: time };
        const found = await tx.updateTable("admission").set(notified).where(areTaken).returningAll().execute();
        for (const bucket of found)
          await emailOwners(context, tx, bucket.account_no, (accountName) =>
            emptyBucketEmail(context.config.dashboardOrigin, accountName, bucket),
          );
        return found;
      }),
  });
  const buckets = taken.flat();
  for (const { account_no: account, livemode, tokens, reserve, bucket_size } of buckets)
    log.warn({ account, livemode, tokens, reserve, bucket_size }, "No tokens for new customers at this account");
  return buckets;
}

/** Notifies the account's owners that new customers need a challenge. */
function emptyBucketEmail(
  dashboardOrigin: string,
  accountName: string,
  { livemode }: Pick<Row<"admission">, "livemode">,
): EmailContent {
  const mode = livemode ? "" : " in test mode";
  return {
    subject: "New customers now have to confirm their payments",
    text: `The tokens for payments by new customers of ${accountName} are used up${mode}. Until payments by returning customers or with a challenge add tokens, new customers need a challenge, and those whose bank doesn't support 3-D Secure may be declined. Returning customers aren't affected.

This happens if you have many more new customers than usual, for example during a sale, or if someone tries many cards at your checkout. If these are your customers, allow more payments by new customers under Settings > New customers.

${dashboardOrigin}`,
  };
}
