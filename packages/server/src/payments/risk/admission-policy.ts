/**
 * A merchant's own policy for new customers, one for each mode. Without one, the operator's default applies
 * (`settings.ts`).
 */
import { sql } from "kysely";
import type { ChangeNewCustomers, NewCustomersSetting } from "@oriel/protocol/dashboard/setup";
import { recordAudit } from "../../merchants/audit/audit-log.ts";
import { lastActor } from "../../merchants/audit/last-actor.ts";
import { ChangedMeanwhileError, isConflict } from "../../platform/changed-meanwhile.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { settingsFor, type RiskSettings } from "./settings.ts";

interface PolicyContext extends Pick<PlatformContext, "db" | "now"> {
  riskSettings: RiskSettings;
}

export async function readAdmissionPolicy(
  { db, riskSettings }: PolicyContext,
  tenant: Tenant,
): Promise<NewCustomersSetting> {
  const settings = settingsFor(riskSettings, tenant);
  if (settings === null) return { applies: false };
  const { policy, bucketSize: bucket_size } = settings.newCustomers;
  const row = await db
    .selectFrom("admission")
    .select(["policy", "bucket_size", "tokens"])
    .where(ownedBy(tenant))
    .executeTakeFirst();
  const own = row ?? { policy: null, bucket_size, tokens: bucket_size };
  return { applies: true, ...own, tokens: Math.max(0, own.tokens), default: { policy, bucket_size } };
}

/**
 * Payments that start afterwards follow the new policy.
 *
 * @param actor for the audit log
 * @throws ChangedMeanwhileError if the policy isn't the one that the user saw
 * @returns false if no risk rules apply in this mode
 */
export async function changeAdmissionPolicy(
  { db, now, riskSettings }: PolicyContext,
  { tenant, accountId }: { tenant: Tenant; accountId: string },
  { seen, ...change }: ChangeNewCustomers,
  actor: string,
): Promise<boolean> {
  const settings = settingsFor(riskSettings, tenant);
  if (settings === null) return false;
  const { policy } = change;
  const bucket_size = policy === null ? settings.newCustomers.bucketSize : change.bucket_size;
  const time = now();
  const { accountNo } = tenant;
  await db.transaction().execute(async (tx) => {
    // Changes wait for each other, also before the account has a policy. Payments don't, because they only refer to it.
    await tx.selectFrom("account").select("id").where("account_no", "=", accountNo).forNoKeyUpdate().execute();
    const current = await readAdmissionPolicy({ db: tx, now, riskSettings }, tenant);
    if (seen !== undefined && current.applies) {
      const before = { policy: current.policy, bucket_size: current.bucket_size };
      if (isConflict({ now: before, seen, wanted: { policy, bucket_size } }))
        throw new ChangedMeanwhileError("this setting", {
          by: await lastActor(tx, accountNo, { actions: ["account.new_customers_changed"] }),
          actor,
        });
    }
    await tx
      .insertInto("admission")
      .values({
        ...ownerColumns(tenant),
        policy,
        bucket_size,
        tokens: bucket_size,
        refilled: 0,
        daily_cap: bucket_size,
        matured_until: time,
        updated_at: time,
      })
      .onConflict((conflict) =>
        conflict.columns(["account_no", "livemode"]).doUpdateSet({
          policy,
          bucket_size,
          // A larger bucket gets the additional tokens at once, so that the change has an effect at once. A smaller one
          // gets none, because a merchant may lower the size during an attack. Someone who lowers and then raises the
          // size fills the bucket, but could as well turn challenges off.
          tokens: sql<number>`greatest(-excluded.bucket_size, least(excluded.bucket_size,
            admission.tokens + greatest(0, excluded.bucket_size - admission.bucket_size)))`,
        }),
      )
      .execute();
    const details = { policy: policy ?? "default", bucket_size, livemode: tenant.livemode };
    await recordAudit(
      tx,
      { actor, action: "account.new_customers_changed", accountNo, objectId: accountId, details },
      time,
    );
  });
  return true;
}
