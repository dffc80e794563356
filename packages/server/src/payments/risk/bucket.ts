/**
 * An account's bucket of tokens for payments by new customers:
 *
 * ```
 * takeToken --> the payment has a token --the acquirer is called--> spent
 *    |              |                                                |
 *    |              +--ends before that--> returnToken               +--declined--> takeDeclineCost
 *    +--the bucket is empty--> a challenge is required
 * ```
 * The bucket is refilled by payments that an attacker can't make: those by returning customers and those with a completed
 * challenge. Other payments refill it after 30 days without a refund. Per UTC day, at most as many tokens are added as the
 * account has payments per day, so that an attacker who pays with a card of their own gets no more tokens than the account
 * has customers.
 */
import { sql, type RawBuilder } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import { firstIdOf } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { takeDue } from "../../platform/storage/per-owner.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, tenantOf, type Tenant } from "../../platform/tenant.ts";
import { isChallengePassed, type Proof } from "../threeds/outcome.ts";
import { provedAfterMs } from "./payers.ts";
import { settingsFor, type RiskSettings } from "./settings.ts";

const dayMs = 24 * 60 * 60 * 1000;
const updateEveryMs = 60 * 60 * 1000;
/** The days over which an account's payments per day are averaged. */
const volumeDays = 28;
/** The tokens that an account without payments can get per day. */
const leastPerDay = 10;
/** The tokens that a declined card costs in addition. */
export const declineCost = 4;

/**
 * Takes a token, unless the same card has already taken one in this session: trying it again reveals nothing more.
 *
 * @param bucketSize the size of the account's first bucket
 */
export async function takeToken(
  tx: Tx,
  tenant: Tenant,
  { sessionId, fingerprint, bucketSize }: { sessionId: string | null; fingerprint: Buffer; bucketSize: number },
  now: Date,
): Promise<"taken" | "free" | "empty"> {
  const [{ is_free, is_taken }] = (await take(tx, {
    ...ownerColumns(tenant),
    session_id: sessionId,
    fingerprint,
    bucket_size: bucketSize,
    now,
  })) as [Token]; // a select without a table returns one row
  if (is_free) return "free";
  return is_taken ? "taken" : "empty";
}

interface Token {
  is_free: boolean;
  is_taken: boolean;
}

const take = statement<Token>(`
  with same_card as (
    select from decision
    where account_no = :account_no and livemode = :livemode and session_id = :session_id::text and has_token
      and :fingerprint::bytea = (
        select fingerprint from payment_method
        where account_no = :account_no and livemode = :livemode and id = decision.payment_method_id
      )
    limit 1
  ),
  token as (
    insert into admission (account_no, livemode, bucket_size, tokens, refilled, daily_cap, matured_until, updated_at)
    select :account_no::bigint, :livemode::boolean, :bucket_size::integer, :bucket_size - 1, 0, :bucket_size,
      :now::timestamptz, :now
    where not exists (select from same_card)
    on conflict (account_no, livemode) do update set tokens = admission.tokens - 1 where admission.tokens > 0
    returning tokens
  )
  select exists (select from same_card) as is_free, exists (select from token) as is_taken`);

/**
 * Returns the token, if it has one, of a payment that ended before the acquirer was called. Runs in the transaction that
 * ends it.
 */
export async function returnToken(
  tx: Tx,
  { account_no, livemode, id, has_token }: Pick<Row<"decision">, "account_no" | "livemode" | "id" | "has_token">,
): Promise<void> {
  if (has_token) await returnHeld(tx, { account_no, livemode, id });
}

const returnHeld = statement(`
  with held as (
    update decision set has_token = false
    where account_no = :account_no and livemode = :livemode and id = :id::text and has_token
    returning id
  )
  update admission set tokens = least(tokens + 1, bucket_size)
  where account_no = :account_no and livemode = :livemode and exists (select from held)`);

/**
 * Takes more tokens after the decline of a payment that has a token, even if there are none, until the debt is as large as
 * the bucket. Most stolen numbers are declined, and most customers' cards aren't, so an attacker uses up the tokens faster
 * than customers do. Trying the same card again costs nothing more. Runs in the transaction that settles the payment.
 */
export async function takeDeclineCost(
  tx: Tx,
  { account_no, livemode, decision_id }: Pick<Row<"attempt">, "account_no" | "livemode" | "decision_id">,
): Promise<void> {
  await takeMore(tx, { account_no, livemode, decision_id, cost: declineCost });
}

const takeMore = statement(`
  update admission set tokens = greatest(-bucket_size, tokens - :cost::integer)
  where account_no = :account_no and livemode = :livemode and exists (
    select from decision
    where account_no = :account_no and livemode = :livemode and id = :decision_id::text and has_token
  )`);

/** Whether an approval adds a token: an attacker with stolen numbers can't pass a challenge and isn't returning. */
export function refillsBucket({ session_id, payer, ...proof }: Pick<Row<"decision">, "session_id" | "payer"> & Proof) {
  if (session_id === null || payer === null) return false;
  return payer === "returning" || isChallengePassed(proof);
}

/**
 * The part of a statement that refills the bucket with one token if `:refills` is true and the payment was settled now.
 * The statement has a part `settled`.
 */
export const refilledBucket = `
  refilled as (
    update admission set tokens = tokens + 1, refilled = refilled + 1
    where account_no = :account_no and livemode = :livemode and :refills::boolean and tokens < bucket_size
      and refilled < daily_cap and exists (select from settled)
  )`;

type UpdateContext = Pick<PlatformContext, "db" | "now" | "log"> & { riskSettings: RiskSettings };

/**
 * Brings buckets up to date, once an hour: payments that stayed without a refund for 30 days refill them, and each day
 * has its own limit. Runs in a worker.
 *
 * @returns the number of buckets
 */
export async function updateBuckets(context: UpdateContext, limit: number): Promise<number> {
  const { db, now } = context;
  const time = now();
  const updated = await takeDue(context, {
    step: "refill buckets",
    due: db
      .selectFrom("admission")
      .select(["account_no", "livemode", "updated_at as id"])
      .where("updated_at", "<=", new Date(time.getTime() - updateEveryMs))
      .orderBy("updated_at"),
    column: "updated_at",
    limit,
    take: (areTaken) => db.transaction().execute((tx) => update(context, tx, areTaken)),
  });
  return updated.length;
}

async function update(context: UpdateContext, tx: Tx, isTaken: RawBuilder<boolean>): Promise<void> {
  const now = context.now();
  const row = await tx.selectFrom("admission").selectAll().where(isTaken).forUpdate().executeTakeFirst();
  if (row === undefined) return; // another worker was faster
  const owner = tenantOf(row);
  const isNewDay = dayOf(row.updated_at) !== dayOf(now);
  const bucket_size = row.policy === null ? defaultSize(context, row) : row.bucket_size;
  const daily_cap = isNewDay ? Math.max(leastPerDay, await paymentsPerDay(tx, owner, now)) : row.daily_cap;
  const refilled = isNewDay ? 0 : row.refilled;
  const until = new Date(Math.max(row.matured_until.getTime(), now.getTime() - provedAfterMs));
  const matured = await countMatured(tx, owner, row.matured_until, until);
  const added = Math.max(0, Math.min(matured, bucket_size - row.tokens, daily_cap - refilled));
  await tx
    .updateTable("admission")
    .set({
      bucket_size,
      tokens: Math.max(-bucket_size, Math.min(row.tokens + added, bucket_size)),
      refilled: refilled + added,
      daily_cap,
      matured_until: until,
      updated_at: now,
    })
    .where(ownedBy(owner))
    .execute();
}

/** The operator may have changed it since the row was written. */
function defaultSize({ riskSettings }: UpdateContext, row: Row<"admission">): number {
  return settingsFor(riskSettings, row)?.newCustomers.bucketSize ?? row.bucket_size;
}

function dayOf(time: Date): number {
  return Math.floor(time.getTime() / dayMs);
}

/**
 * The cards that paid at the checkout per UTC day, on average. Each counts once a day, so that one card can't raise the
 * number much. Card tries are kept for 30 days.
 */
async function paymentsPerDay(tx: Tx, owner: Tenant, now: Date): Promise<number> {
  const { count } = await tx
    .selectFrom("card_try")
    .select(sql<number>`count(distinct (fingerprint, (created_at at time zone 'utc')::date))`.as("count"))
    .where(ownedBy(owner))
    .where("outcome", "=", "approved")
    .where("amount", ">", 0)
    .where("session_id", "is not", null)
    .where("created_at", ">", new Date(now.getTime() - volumeDays * dayMs))
    .executeTakeFirstOrThrow();
  return Math.ceil(count / volumeDays);
}

/** Counts payments that have been proved by time. Those with a challenge have already refilled the bucket. */
async function countMatured(tx: Tx, owner: Tenant, from: Date, until: Date): Promise<number> {
  const { count } = await tx
    .selectFrom("charge")
    .innerJoin("decision", (join) =>
      join.onRef("decision.id", "=", "charge.decision_id").on(ownedBy(owner, "decision")),
    )
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where(ownedBy(owner, "charge"))
    .where("charge.id", ">=", firstIdOf("ch", from))
    .where("charge.id", "<", firstIdOf("ch", until))
    .where("charge.status", "=", "succeeded")
    .where("charge.amount_refunded", "=", 0)
    .where("charge.amount_refunding", "=", 0)
    .where("decision.payer", "=", "new")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("authentication")
            .select("authentication.id")
            .where(ownedBy(owner, "authentication"))
            .whereRef("authentication.decision_id", "=", "decision.id")
            .where("authentication.asked", "is not", null)
            .where("authentication.result", "=", "authenticated"),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return count;
}
