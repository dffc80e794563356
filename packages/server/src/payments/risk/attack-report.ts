/**
 * Reports card testing to the operator: once an hour for each account, rule and verdict, across all processes. The log
 * line contains only counts, so it's safe for everyone with access to the logs.
 */
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";
import type { RiskContext } from "./card-attempts.ts";
import type { RiskReason } from "./rules.ts";
import type { Step } from "./settings.ts";

const hourMs = 60 * 60 * 1000;
/** Counting stops here, because larger numbers add no information. */
const maxCounted = 10_000;

export async function reportAttack(
  context: Pick<RiskContext, "db" | "log">,
  tenant: Tenant,
  rule: RiskReason,
  verdict: Step["verdict"],
  now: Date,
): Promise<void> {
  const { db, log } = context;
  const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
  const reported = await db
    .selectFrom("attack_report")
    .select("rule")
    .where(ownedBy(tenant))
    .where("rule", "=", rule)
    .where("verdict", "=", verdict)
    .where("hour", "=", hour)
    .executeTakeFirst();
  if (reported !== undefined) return;

  const counts = await countLastHour(context, tenant, now);
  const { accountNo: account_no, livemode } = tenant;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("attack_report")
    .values({ account_no, livemode, rule, verdict, hour, ...counts, created_at: now })
    .onConflict((conflict) => conflict.columns(["account_no", "livemode", "rule", "verdict", "hour"]).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return;
  const consequence = verdict === "decline" ? "are declined" : "require authentication";
  log.warn(
    { account: account_no, livemode, rule, verdict, last_hour: counts },
    `Possible card testing: payments to this account ${consequence} because of the rule ${rule}`,
  );
}

async function countLastHour({ db }: Pick<RiskContext, "db">, tenant: Tenant, now: Date) {
  const newest = db
    .selectFrom("card_try")
    .where(ownedBy(tenant))
    .where("session_id", "is not", null) // Only the checkout is counted, because renewals aren't attacks.
    .where("created_at", ">", new Date(now.getTime() - hourMs))
    .select(["outcome", "fingerprint", "network"])
    .orderBy("created_at", "desc")
    .limit(maxCounted);
  return await db
    .selectFrom(newest.as("newest"))
    .select(({ fn }) => [
      fn.countAll<number>().as("tries"),
      fn.countAll<number>().filterWhere("outcome", "=", "declined").as("declined"),
      fn.count<number>("fingerprint").distinct().as("cards"),
      fn.count<number>("network").distinct().as("networks"),
    ])
    .executeTakeFirstOrThrow();
}
