/**
 * Recognizes card testing at an account, and keeps a report for the merchant and the operator. Runs in a worker, so
 * payments don't wait for it.
 *
 * ```
 * (none) --within an hour, the cards of ten new customers fail, and more fail than pay--> ongoing
 * ongoing --an hour in which that isn't so--> ended
 * ```
 * A report contains counts and no card data. The start and the end are events (`account.card_testing`) and log lines.
 */
import type { AttackReport } from "@oriel/protocol/api";
import { noCause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { perOwner } from "../../platform/storage/per-owner.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, tenantOf, type Tenant } from "../../platform/tenant.ts";
import type { Letter } from "../../merchants/mail/mailer.ts";
import { recordEvent } from "../events/record-event.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";

const hourMs = 60 * 60 * 1000;
/** Fewer cards may be customers who mistype or whose banks don't support 3-D Secure. */
const leastCards = 10;

type AttackContext = Pick<PlatformContext, "db" | "now" | "log">;

/** The accounts where an attack may have begun or is ongoing. */
const findSuspects = statement<{ account_no: number; livemode: boolean }>(`
  select account_no, livemode from card_try
  where created_at > :since::timestamptz and outcome in ('declined', 'rejected', 'abandoned')
  group by account_no, livemode having count(distinct fingerprint) >= :least_cards::integer
  union
  select account_no, livemode from card_testing_report where ended_at is null`);

/**
 * Starts, updates and ends the reports of all accounts.
 *
 * @returns the reports that have started, whose merchants must be told
 */
export async function watchForAttacks(context: AttackContext): Promise<Row<"card_testing_report">[]> {
  const since = new Date(context.now().getTime() - hourMs);
  const suspects = await findSuspects(context.db, { since, least_cards: leastCards });
  const started = await perOwner(context, "watch for card testing", suspects, (row) => watch(context, tenantOf(row)));
  return started.filter((report) => report !== null);
}

async function watch(context: AttackContext, tenant: Tenant): Promise<Row<"card_testing_report"> | null> {
  const now = context.now();
  const hourAgo = new Date(now.getTime() - hourMs);
  return await context.db.transaction().execute(async (tx) => {
    const ongoing = await findOngoing(tx, tenant);
    const lastHour = await countTries(tx, tenant, hourAgo);
    const isAttack = lastHour.failed_cards >= leastCards && lastHour.failed_cards > lastHour.paid_cards;
    if (ongoing === undefined) return isAttack ? await start(context, tx, tenant, hourAgo, lastHour) : null;
    const counts = numbersOf(await countTries(tx, tenant, ongoing.started_at));
    const seen_at = isAttack ? now : ongoing.seen_at;
    const ended_at = seen_at <= hourAgo ? now : null;
    const report = await tx
      .updateTable("card_testing_report")
      .set({ ...counts, seen_at, ended_at })
      .where(ownedBy(tenant))
      .where("id", "=", ongoing.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (ended_at !== null) await tell(context, tx, report);
    return null;
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

/** @returns null if another worker has just started a report */
async function start(
  context: AttackContext,
  tx: Tx,
  tenant: Tenant,
  startedAt: Date,
  counts: Counts,
): Promise<Row<"card_testing_report"> | null> {
  const now = context.now();
  const report = await tx
    .insertInto("card_testing_report")
    .values({
      ...ownerColumns(tenant),
      id: newId("atk", now, tenant),
      ...numbersOf(counts),
      started_at: startedAt,
      seen_at: now,
      ended_at: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(["account_no", "livemode"]).where("ended_at", "is", null).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (report === undefined) return null;
  await tell(context, tx, report);
  return report;
}

interface Counts {
  attempts: number;
  stopped: number;
  declined: number;
  approved: number;
  failed_cards: number;
  paid_cards: number;
}

/** The new customers' card tries at the checkout since a time. Returning customers aren't counted. */
const count = statement<Counts>(`
  select count(*) as attempts, count(*) filter (where outcome in ('rejected', 'abandoned')) as stopped,
    count(*) filter (where outcome = 'declined') as declined, count(*) filter (where outcome = 'approved') as approved,
    count(distinct fingerprint) filter (where outcome in ('declined', 'rejected', 'abandoned')) as failed_cards,
    count(distinct fingerprint) filter (where outcome = 'approved') as paid_cards
  from card_try join decision on decision.account_no = :account_no and decision.livemode = :livemode
    and decision.id = card_try.decision_id and decision.payer = 'stranger'
  where card_try.account_no = :account_no::bigint and card_try.livemode = :livemode::boolean
    and card_try.created_at > :since::timestamptz`);

async function countTries(tx: Tx, tenant: Tenant, since: Date): Promise<Counts> {
  const [counts] = await count(tx, { ...ownerColumns(tenant), since });
  if (counts === undefined) throw new Error("Bug: a select of counts has no row");
  return counts;
}

function numbersOf({ attempts, stopped, declined, approved }: Counts) {
  return { attempts, stopped, declined, approved };
}

/** Tells the merchant's server and the operator that the attack has started or ended. */
async function tell(context: AttackContext, tx: Tx, report: Row<"card_testing_report">): Promise<void> {
  const object = toAttackReport(report);
  await recordEvent(context, tx, tenantOf(report), { type: "account.card_testing", object }, noCause);
  const { account_no: account, livemode, id, attempts, stopped, declined, approved } = report;
  const what = report.ended_at === null ? "Card testing at this account" : "The card testing at this account has ended";
  context.log.warn({ account, livemode, report: id, attempts, stopped, declined, approved }, what);
}

/** The report as in the event. */
export function toAttackReport(report: Row<"card_testing_report">): AttackReport {
  const { id, livemode, attempts, stopped, declined, approved } = report;
  return {
    id,
    object: "attack_report",
    livemode,
    created: seconds(report.created_at),
    started_at: seconds(report.started_at),
    ended_at: report.ended_at === null ? null : seconds(report.ended_at),
    attempts,
    stopped,
    declined,
    approved,
  };
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
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

/** Tells the account's owners that an attack has started. */
export function attackLetter(
  dashboardOrigin: string,
  accountName: string,
  { livemode, attempts, stopped, declined, approved }: Row<"card_testing_report">,
): Letter {
  const mode = livemode ? "" : " in test mode";
  return {
    subject: "Someone may be trying stolen cards at your checkout",
    text: `Many payments by new customers of ${accountName} have failed${mode} in the last hour. This is what it looks like when someone tries stolen card numbers.

Attempts by new customers: ${attempts}
Stopped before the bank was asked: ${stopped}
Declined by the bank: ${declined}
Approved: ${approved}

You don't have to do anything. Until it's over, new customers may have to confirm payments with their bank. Customers who have paid before don't notice. Refund payments that you don't recognize before their cardholders dispute them.

${dashboardOrigin}/payments`,
  };
}
