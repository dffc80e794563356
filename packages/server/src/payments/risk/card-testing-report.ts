/**
 * Detects card testing at an account, and keeps a report for the merchant and the operator. Runs in a worker, so payments
 * don't wait for it.
 *
 * ```
 * (none) --within an hour, ten cards of new customers fail, and more fail than succeed--> ongoing
 * ongoing --not detected for an hour--> ended
 * ```
 * A card fails if the issuer declines it, or if its payment ends before the acquirer is called. Errors at the acquirer
 * don't count, so that an outage doesn't look like card testing. A report contains counts and no card data. The start and
 * the end are events (`account.card_testing`) and log lines.
 */
import { sql } from "kysely";
import type { CardTestingReport } from "@oriel/protocol/api";
import type { EmailContent } from "../../merchants/emails/mailer.ts";
import type { EmailContext } from "../../merchants/emails/outbox.ts";
import { emailOwners } from "../../merchants/members/email-owners.ts";
import { noCause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { perOwner } from "../../platform/storage/per-owner.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, tenantOf, type Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { recordEvent } from "../events/record-event.ts";

const hourMs = 60 * 60 * 1000;
/** Fewer cards may be those of customers who mistype, or whose banks don't support 3-D Secure. */
const minCards = 10;

type ReportContext = Pick<PlatformContext, "db" | "nodes" | "now" | "log"> & EmailContext;

type OwnerColumns = Pick<Row<"card_try">, "account_no" | "livemode">;

/** The accounts where card testing may have started or is ongoing. */
async function findSuspects({ db, nodes }: ReportContext, since: Date): Promise<OwnerColumns[]> {
  const { rows } = await nodes.ofAllAccounts(
    async (isReachable) =>
      await sql<OwnerColumns>`
        select account_no, livemode from card_try
        where created_at > ${since} and outcome in ('declined', 'rejected', 'abandoned') and ${isReachable()}
        group by account_no, livemode having count(distinct fingerprint) >= ${minCards}::integer
        union
        select account_no, livemode from card_testing_report where ended_at is null and ${isReachable()}`.execute(db),
  );
  return rows;
}

/** Starts, updates and ends the reports of all accounts. Emails the owners of an account when a report starts. */
export async function watchForCardTesting(context: ReportContext): Promise<void> {
  const since = new Date(context.now().getTime() - hourMs);
  const suspects = await findSuspects(context, since);
  await perOwner(context, "watch for card testing", suspects, (row) => watch(context, tenantOf(row)));
}

async function watch(context: ReportContext, tenant: Tenant): Promise<void> {
  const now = context.now();
  const hourAgo = new Date(now.getTime() - hourMs);
  await context.db.transaction().execute(async (tx) => {
    const ongoing = await findOngoing(tx, tenant);
    const lastHour = await countTries(tx, tenant, hourAgo);
    const isDetected = lastHour.failed_cards >= minCards && lastHour.failed_cards > lastHour.paid_cards;
    if (ongoing === undefined) {
      if (isDetected) await start(context, tx, tenant, hourAgo, lastHour);
      return;
    }
    const counts = numbersOf(await countTries(tx, tenant, ongoing.started_at));
    const seen_at = isDetected ? now : ongoing.seen_at;
    const ended_at = seen_at <= hourAgo ? now : null;
    const report = await tx
      .updateTable("card_testing_report")
      .set({ ...counts, seen_at, ended_at })
      .where(ownedBy(tenant))
      .where("id", "=", ongoing.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (ended_at !== null) await emitReport(context, tx, report);
  });
}

async function findOngoing(tx: Tx, tenant: Tenant): Promise<Row<"card_testing_report"> | undefined> {
  return await tx
    .selectFrom("card_testing_report")
    .selectAll()
    .where(ownedBy(tenant))
    .where("ended_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
}

/** Does nothing if another worker has just started a report. */
async function start(context: ReportContext, tx: Tx, tenant: Tenant, startedAt: Date, counts: Counts): Promise<void> {
  const now = context.now();
  const report = await tx
    .insertInto("card_testing_report")
    .values({
      ...ownerColumns(tenant),
      id: newId("ctr", now, tenant),
      ...numbersOf(counts),
      started_at: startedAt,
      seen_at: now,
      ended_at: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(["account_no", "livemode"]).where("ended_at", "is", null).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (report === undefined) return;
  await emitReport(context, tx, report);
  await emailOwners(context, tx, tenant.accountNo, (accountName) =>
    cardTestingEmail(context.config.dashboardOrigin, accountName, report),
  );
}

interface Counts {
  attempts: number;
  blocked: number;
  declined: number;
  approved: number;
  failed_cards: number;
  paid_cards: number;
}

/**
 * The new customers' card tries at the checkout since a time. Returning customers aren't counted. Only a consumed decision
 * reached the acquirer.
 */
const count = statement<Counts>(/* sql */ `
  with tried as (
    select fingerprint, outcome = 'approved' as is_approved,
      outcome = 'declined' and decision.status = 'consumed' as is_declined,
      outcome in ('declined', 'rejected', 'abandoned') and decision.status <> 'consumed' as is_blocked
    from card_try join decision on decision.account_no = :account_no and decision.livemode = :livemode
      and decision.id = card_try.decision_id and decision.payer = 'new'
    where card_try.account_no = :account_no::bigint and card_try.livemode = :livemode::boolean
      and card_try.created_at > :since::timestamptz
  )
  select count(*) as attempts, count(*) filter (where is_blocked) as blocked,
    count(*) filter (where is_declined) as declined, count(*) filter (where is_approved) as approved,
    count(distinct fingerprint) filter (where is_blocked or is_declined) as failed_cards,
    count(distinct fingerprint) filter (where is_approved) as paid_cards
  from tried`);

async function countTries(tx: Tx, tenant: Tenant, since: Date): Promise<Counts> {
  const [counts] = (await count(tx, { ...ownerColumns(tenant), since })) as [Counts]; // counts are always one row
  return counts;
}

function numbersOf({ attempts, blocked, declined, approved }: Counts) {
  return { attempts, blocked, declined, approved };
}

/** Notifies the merchant's server and the operator that card testing has started or ended. */
async function emitReport(context: ReportContext, tx: Tx, report: Row<"card_testing_report">): Promise<void> {
  const object = toCardTestingReport(report);
  await recordEvent(context, tx, tenantOf(report), { type: "account.card_testing", object }, noCause);
  const { account_no: account, livemode, id, attempts, blocked, declined, approved } = report;
  const what =
    report.ended_at === null ? "Possible card testing at this account" : "Card testing at this account has ended";
  context.log.warn({ account, livemode, report: id, attempts, blocked, declined, approved }, what);
}

/** The report as in the event. */
export function toCardTestingReport(report: Row<"card_testing_report">): CardTestingReport {
  const { id, livemode, attempts, blocked, declined, approved } = report;
  return {
    id,
    object: "card_testing_report",
    livemode,
    created: unixSeconds(report.created_at),
    started_at: unixSeconds(report.started_at),
    ended_at: report.ended_at === null ? null : unixSeconds(report.ended_at),
    attempts,
    blocked,
    declined,
    approved,
  };
}

/** The account's ongoing report, or its last one if that ended after `since`. */
export async function findRecentReport(
  db: Db,
  tenant: Tenant,
  since: Date,
): Promise<Row<"card_testing_report"> | undefined> {
  return await db
    .selectFrom("card_testing_report")
    .selectAll()
    .where(ownedBy(tenant))
    .where(({ or, eb }) => or([eb("ended_at", "is", null), eb("ended_at", ">", since)]))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Notifies the account's owners that card testing has started. */
function cardTestingEmail(
  dashboardOrigin: string,
  accountName: string,
  { livemode, attempts, blocked, declined, approved }: Row<"card_testing_report">,
): EmailContent {
  const mode = livemode ? "" : " in test mode";
  return {
    subject: "Someone may be testing stolen cards at your checkout",
    text: `At least ${minCards} cards of new customers of ${accountName} failed${mode} within an hour. This is typical of someone who tests stolen card numbers.

Attempts by new customers: ${attempts}
Blocked before authorization: ${blocked}
Declined by the issuer: ${declined}
Approved: ${approved}

Oriel is limiting the attack. Until it ends, new customers may have to pass a challenge. Returning customers aren't affected. Check the approved payments, and refund any that you don't recognize before the cardholders dispute them.

${dashboardOrigin}`,
  };
}
