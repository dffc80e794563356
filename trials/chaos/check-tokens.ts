/** Checks the bucket of tokens for payments by new customers (`payments/risk/bucket.ts`). */
import { sql } from "kysely";
import { declineCost } from "../../packages/server/src/payments/risk/bucket.ts";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { Mistake } from "./mistake.ts";

/**
 * The tokens that are left must be those that no payment has taken. A decline takes more only if there were many at that
 * time. A run takes less time than the hour after which a worker updates buckets.
 */
export async function checkTokens(db: Db): Promise<Mistake[]> {
  const { rows } = await sql<{ tokens: number; max: number; taken: number; declined: number }>`
    select tokens, bucket_size + refilled - taken as max, taken, declined
    from admission cross join (
      select count(*)::integer as taken, (count(*) filter (where card_try.outcome = 'declined' and not exists (
        select from authentication
        where decision_id = decision.id and flow is not null and result = 'authenticated'
      )))::integer as declined
      from decision join card_try on card_try.decision_id = decision.id
      where has_token
    ) payments`.execute(db);
  const [bucket] = rows;
  if (bucket === undefined || bucket.taken === 0) return [{ kind: "lost", what: "No payment took a token" }];
  const { tokens, max, declined } = bucket;
  const costs = (max - tokens) / declineCost;
  if (Number.isInteger(costs) && costs >= 0 && costs <= declined) return [];
  const what = `The bucket has ${tokens} tokens instead of ${max}, less ${declineCost} for some of ${declined} declines`;
  return [{ kind: tokens > max ? "twice" : "lost", what }];
}
