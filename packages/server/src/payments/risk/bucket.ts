/**
 * An account's bucket of tokens for payments by new customers:
 *
 * ```
 * takeToken --> the payment has a token --the acquirer is called--> spent
 *    |              |                                                |
 *    |              +--ends before that--> returnToken               +--declined--> takeDeclineCost
 *    +--the bucket is empty, and the issuer can't challenge--> takeReserve --> the same with the reserve's token, but a
 *    |                                                                         decline takes no more
 *    +--otherwise--> a challenge is required
 * ```
 * The bucket is refilled by payments that an attacker can't make: those by returning customers and those with a completed
 * challenge. Other payments refill it after 30 days without a refund. Per UTC day, at most as many tokens are added as the
 * account has payments per day, so that an attacker who pays with a card of their own gets no more tokens than the account
 * has customers.
 *
 * Numbers that someone makes up are declined and cost nothing, so they must not use up the bucket. The address and the
 * session pay first (`suspect-source.ts`). The account pays for declines only if there are too many for an ordinary day. And a reserve, which gets a token each hour, is only for customers whose issuer
 * can't challenge them, because all others can still pay.
 */
import { sql, type RawBuilder } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import { firstIdOf } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { takeDue } from "../../platform/storage/per-owner.ts";
import { statement } from "../../platform/storage/statement.ts";
import { storedFunction } from "../../platform/storage/stored-function.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, tenantOf, type Tenant } from "../../platform/tenant.ts";
import { isChallengePassed, type Proof } from "../threeds/outcome.ts";
import { provedAfterMs } from "./payers.ts";
import { settingsFor, type RiskSettings } from "./settings.ts";
import { sourceIsSuspect, sourceValues } from "./suspect-source.ts";

const dayMs = 24 * 60 * 60 * 1000;
const updateEveryMs = 60 * 60 * 1000;
/** The days over which an account's payments per day are averaged. */
const volumeDays = 28;
/** The tokens that an account without payments can get per day. */
const minPerDay = 10;
/** The tokens that a declined card costs in addition, once the account has many declines. */
export const declineCost = 4;
/**
 * More declines than these, among the latest attempts at the account's checkout within a day, are many. Visa's monitoring
 * program treats a decline rate above 20% as enumeration.
 */
const ordinary = { declines: 10, of: 50 };
/** The largest reserve of an account. It's also at most a quarter of the bucket, so very small buckets have none. */
const maxReserved = 10;

/** A payment by a new customer. */
export interface Applicant {
  decisionId: string;
  sessionId: string | null;
  fingerprint: Buffer;
  /** The size of the account's first bucket. */
  bucketSize: number;
}

/**
 * Takes a token, unless the same card has already taken one in this session: trying it again reveals nothing more.
 *
 * @returns `suspect` if more tries have failed than paid from the same address or in the same session, and too many
 */
export async function takeToken(
  tx: Tx,
  tenant: Tenant,
  { decisionId, sessionId, fingerprint, bucketSize }: Applicant,
  now: Date,
): Promise<"taken" | "free" | "suspect" | "empty"> {
  const [{ is_free, is_suspect, is_taken }] = (await take(tx, {
    ...ownerColumns(tenant),
    decision_id: decisionId,
    session_id: sessionId,
    fingerprint,
    bucket_size: bucketSize,
    ...sourceValues(now),
    now,
  })) as [Token]; // a select without a table returns one row
  if (is_free) return "free";
  if (is_suspect) return "suspect";
  return is_taken ? "taken" : "empty";
}

interface Token {
  is_free: boolean;
  is_suspect: boolean;
  is_taken: boolean;
}

const take = statement<Token>(/* sql */ `
  with same_card as (
    select 1 from decision
    where account_no = :account_no and livemode = :livemode and session_id = :session_id::text
      and (has_token or has_reserve)
      and :fingerprint::bytea = (
        select fingerprint from payment_method
        where account_no = :account_no and livemode = :livemode and id = decision.payment_method_id
      )
    limit 1
  ),
  source as (select ${sourceIsSuspect} as is_suspect),
  token as (
    insert into admission (account_no, livemode, bucket_size, tokens, refilled, daily_cap, matured_until, updated_at)
    select :account_no::bigint, :livemode::boolean, :bucket_size::integer, :bucket_size - 1, 0, :bucket_size,
      :now::timestamptz, :now
    where not exists (select 1 from same_card) and not (select is_suspect from source)
    on conflict (account_no, livemode) do update set tokens = admission.tokens - 1 where admission.tokens > 0
    returning tokens
  )
  select exists (select 1 from same_card) as is_free, (select is_suspect from source) as is_suspect,
    exists (select 1 from token) as is_taken`);

/** The largest reserve of a bucket, in SQL. */
const reserveSize = `least(${maxReserved}, bucket_size / 4)`;

/**
 * Takes a token of the reserve, and notes that the bucket was empty, so that the merchant is notified (`empty-buckets.ts`), but
 * not within a day after that.
 *
 * @param isForReserve whether the customer would be lost without a token
 * @returns whether a token was taken
 */
export async function takeReserve(tx: Tx, tenant: Tenant, isForReserve: boolean, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - dayMs);
  const [row] = await takeReserved(tx, { ...ownerColumns(tenant), is_for_reserve: isForReserve, since, now });
  return isForReserve && (row?.before ?? 0) > 0;
}

const takeReserved = statement<{ before: number }>(/* sql */ `
  update admission set
    reserve = greatest(0, before.reserve - case when :is_for_reserve::boolean then 1 else 0 end),
    empty_at = case
      when empty_notified_at > :since::timestamptz then null else coalesce(empty_at, :now::timestamptz)
    end
  from (
    select least(reserve, ${reserveSize}) as reserve from admission
    where account_no = :account_no and livemode = :livemode for no key update
  ) as before
  where account_no = :account_no and livemode = :livemode
  returning before.reserve as before`);

/**
 * Returns the token, if it has one, of a payment that ended before the acquirer was called. Runs in the transaction that
 * ends it.
 */
export async function returnToken(
  tx: Tx,
  decision: Pick<Row<"decision">, "account_no" | "livemode" | "id" | "has_token" | "has_reserve">,
): Promise<void> {
  const { account_no, livemode, id, has_token, has_reserve } = decision;
  if (has_token) await returnToBucket(tx, { account_no, livemode, id });
  if (has_reserve) await returnToReserve(tx, { account_no, livemode, id });
}

const returning = (name: string, held: "has_token" | "has_reserve", returned: string) =>
  storedFunction(name, {
    takes: { account_no: "bigint", livemode: "boolean", id: "text" },
    steps: /* sql */ `
      update decision set ${held} = false
      where account_no = :account_no and livemode = :livemode and id = :id and ${held};
      if not found then return; end if;
      update admission set ${returned} where account_no = :account_no and livemode = :livemode;`,
  });

/** Exported for `stored-functions.ts`. */
export const returnToBucket = returning("return_token", "has_token", "tokens = least(tokens + 1, bucket_size)");
/** Exported for `stored-functions.ts`. */
export const returnToReserve = returning(
  "return_reserve",
  "has_reserve",
  `reserve = least(reserve + 1, ${reserveSize})`,
);

/**
 * Takes more tokens after the decline of a payment that has a token, if the account has many declines. They're taken even if
 * there are none, until the debt is as large as the bucket. Most stolen numbers are declined, and most customers' cards
 * aren't, so an attacker uses up the tokens faster than customers do. Trying the same card again costs nothing more. Runs in
 * the transaction that settles the payment, after the outcome of the card try was recorded.
 */
export async function takeDeclineCost(
  tx: Tx,
  { account_no, livemode, decision_id }: Pick<Row<"attempt">, "account_no" | "livemode" | "decision_id">,
  now: Date,
): Promise<void> {
  const since = new Date(now.getTime() - dayMs);
  await takeMore(tx, { account_no, livemode, decision_id, cost: declineCost, since, ...ordinary });
}

const takeMore = statement(/* sql */ `
  update admission set tokens = greatest(-bucket_size, tokens - :cost::integer)
  where account_no = :account_no and livemode = :livemode and exists (
    select 1 from decision
    where account_no = :account_no and livemode = :livemode and id = :decision_id::text and has_token
  ) and :declines::integer < (
    select count(*) filter (where outcome = 'declined') from (
      select outcome from card_try
      where account_no = :account_no and livemode = :livemode and created_at > :since::timestamptz
        and session_id is not null and outcome in ('approved', 'declined')
      order by created_at desc limit :of::integer
    ) as latest
  )`);

/** Whether an approval adds a token: an attacker with stolen numbers can't pass a challenge and isn't returning. */
export function refillsBucket({ session_id, payer, ...proof }: Pick<Row<"decision">, "session_id" | "payer"> & Proof) {
  if (session_id === null || payer === null) return false;
  return payer === "returning" || isChallengePassed(proof);
}

/** Refills the bucket with one token. A step of a {@link storedFunction}. */
export const refilledBucket = /* sql */ `
  update admission set tokens = tokens + 1, refilled = refilled + 1
  where account_no = :account_no and livemode = :livemode and tokens < bucket_size and refilled < daily_cap`;

type UpdateContext = Pick<PlatformContext, "db" | "nodes" | "now" | "log"> & { riskSettings: RiskSettings };

/**
 * Brings buckets up to date, once an hour: payments that stayed without a refund for 30 days refill them, each day has its
 * own limit, and the reserve gets a token. Runs in a worker.
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
  const daily_cap = isNewDay ? Math.max(minPerDay, await paymentsPerDay(tx, owner, now)) : row.daily_cap;
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
      reserve: sql<number>`least(reserve + 1, ${sql.raw(reserveSize)})`,
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
            .where("authentication.flow", "is not", null)
            .where("authentication.result", "=", "authenticated"),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return count;
}
