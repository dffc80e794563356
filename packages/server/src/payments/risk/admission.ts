/**
 * Admission: how many payments of new customers an account takes without a challenge.
 *
 * Someone with stolen card numbers learns which of them work by paying with them. Detecting this takes time, and each
 * payment before the detection teaches the attacker something. So each account has a bucket of tokens, and a payment by
 * a stranger takes one before the acquirer is asked. Without a token, the stranger must pass a challenge, which someone
 * with only the number can't.
 *
 * ```
 * stranger's payment --takes a token--> has a token --the acquirer is asked--> spent; a decline takes four more
 *          |                             |
 *          |                             +--ends before that--> giveTokenBack
 *          +--the bucket is empty--> needs a completed challenge
 * ```
 * A payer is **returning** if this card, or this device with at most three cards, has paid at this account before, and
 * the payment was *proved*: by a completed challenge at least a day ago, or because it was neither refunded nor disputed
 * for 30 days. Everyone else is a **stranger**.
 *
 * The bucket is refilled by payments that an attacker can't make: proved ones and those of returning payers. A stranger's
 * payment that is proved after 30 days refills it, too. The number of tokens per day is limited to the account's own
 * payments per day, so that a small account can't be made to admit more strangers than it has customers.
 *
 * The token is taken in the transaction that creates the decision, which is committed before the acquirer is asked. So
 * a crash doesn't refill the bucket.
 */
import type { RawBuilder } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import { firstIdOf } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { takeDue } from "../../platform/storage/per-owner.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, tenantOf, type Tenant } from "../../platform/tenant.ts";
import { newCustomers, type Assessment } from "./assess.ts";
import type { CardTry } from "./card-attempts.ts";
import { settingsFor, type NewCustomers, type RiskSettings } from "./settings.ts";

const dayMs = 24 * 60 * 60 * 1000;
const tendEveryMs = 60 * 60 * 1000;
/** The days over which an account's payments per day are averaged. */
const volumeDays = 28;
/** The time after which a payment with a completed challenge makes its payer a returning one. */
const afterChallengeMs = dayMs;
/** The time without a refund or dispute after which any payment is proved. Most cardholders have seen their statement. */
export const provedAfterMs = 30 * dayMs;
/** The tokens that a declined card costs in addition. */
export const declineCost = 4;
/** More cards than this on one device aren't one customer's. */
const cardsPerDevice = 3;

export interface Payer {
  kind: "returning" | "stranger";
  /** How the account admits strangers. */
  rules: NewCustomers;
}

/** How a payer and the card are recognized. */
export interface PayerTraits {
  fingerprint: Buffer;
  /** The hash of the random ID that the checkout page stored in this browser; null without one. */
  device: Buffer | null;
}

const find = statement<{ is_returning: boolean; policy: NewCustomers["policy"] | null }>(`
  with device_cards as (
    select count(distinct fingerprint) as cards from payment_method
    where account_no = :account_no and livemode = :livemode and device = :device::bytea
  ),
  known as (
    select id from payment_method
    where account_no = :account_no and livemode = :livemode and fingerprint = :fingerprint::bytea
    union all
    select id from payment_method
    where account_no = :account_no and livemode = :livemode and device = :device::bytea
      and (select cards from device_cards) <= :cards_per_device::integer
  ),
  proved as (
    select from known
    join decision on decision.account_no = :account_no and decision.livemode = :livemode
      and decision.payment_method_id = known.id and decision.session_id is not null
    join attempt on attempt.account_no = :account_no and attempt.livemode = :livemode
      and attempt.decision_id = decision.id and attempt.kind in ('authorize', 'verify')
      and attempt.status = 'approved'
    where attempt.finished_at <= :challenged_before::timestamptz and (
      exists (
        select from authentication
        where account_no = :account_no and livemode = :livemode and decision_id = decision.id
          and asked is not null and result = 'authenticated'
      )
      or (attempt.finished_at <= :paid_before::timestamptz and exists (
        select from charge
        where account_no = :account_no and livemode = :livemode and decision_id = decision.id
          and status = 'succeeded' and amount_refunded + amount_refunding = 0
      ))
    )
    limit 1
  )
  select exists (select from proved) as is_returning,
    (select policy from admission where account_no = :account_no and livemode = :livemode) as policy`);

/** Finds out whether the payer has paid at this account before, and the account's policy for strangers. */
export async function findPayer(
  db: Db,
  tenant: Tenant,
  traits: PayerTraits,
  defaults: NewCustomers,
  now: Date,
): Promise<Payer> {
  const [found] = await find(db, {
    ...ownerColumns(tenant),
    ...traits,
    cards_per_device: cardsPerDevice,
    challenged_before: new Date(now.getTime() - afterChallengeMs),
    paid_before: new Date(now.getTime() - provedAfterMs),
  });
  return {
    kind: found?.is_returning === true ? "returning" : "stranger",
    rules: { ...defaults, policy: found?.policy ?? defaults.policy },
  };
}

/** The assessment of a payment after admission. */
export interface Admission {
  risk: Assessment;
  /** Whether the payment took a token. */
  hasToken: boolean;
}

/**
 * Admits a payment, or requires a challenge. Runs in the transaction that creates the decision.
 *
 * @param payer null if no risk rules apply
 */
export async function admit(
  tx: Tx,
  { tenant, sessionId, amount }: Pick<CardTry, "tenant" | "sessionId" | "amount">,
  fingerprint: Buffer,
  { risk, payer }: { risk: Assessment; payer: Payer | null },
  now: Date,
): Promise<Admission> {
  const asItWas = { risk, hasToken: false };
  if (payer?.kind !== "stranger" || risk.verdict === "decline") return asItWas;
  const { policy, bucketSize } = payer.rules;
  if (policy === "never_challenge") return asItWas;
  // Saving a card costs an attacker nothing, so it always takes proof.
  if (policy === "always_challenge" || amount === 0) return { risk: withChallenge(risk), hasToken: false };
  const [token] = await take(tx, {
    ...ownerColumns(tenant),
    session_id: sessionId,
    fingerprint,
    bucket_size: bucketSize,
    now,
  });
  if (token?.is_free === true) return asItWas;
  return token?.is_taken === true ? { risk, hasToken: true } : { risk: withChallenge(risk), hasToken: false };
}

function withChallenge({ reasons }: Assessment): Assessment {
  return { level: "elevated", reasons: [...reasons, newCustomers], verdict: "challenge" };
}

/** Trying the same card again in a session is free, because it teaches nothing new. */
const take = statement<{ is_free: boolean; is_taken: boolean }>(`
  with same_card as (
    select from decision
    join payment_method on payment_method.account_no = :account_no and payment_method.livemode = :livemode
      and payment_method.id = decision.payment_method_id
    where decision.account_no = :account_no and decision.livemode = :livemode and decision.session_id = :session_id::text
      and decision.has_token and payment_method.fingerprint = :fingerprint::bytea
    limit 1
  ),
  token as (
    insert into admission (account_no, livemode, bucket_size, tokens, refilled, daily_cap, matured_until, tended_at)
    select :account_no::bigint, :livemode::boolean, :bucket_size::integer, :bucket_size - 1, 0, :bucket_size,
      :now::timestamptz, :now
    where not exists (select from same_card)
    on conflict (account_no, livemode) do update set tokens = admission.tokens - 1 where admission.tokens > 0
    returning tokens
  )
  select exists (select from same_card) as is_free, exists (select from token) as is_taken`);

/**
 * Returns the token of a payment that ended before the acquirer was asked. Runs in the transaction that ends it.
 */
export async function giveTokenBack(tx: Tx, decision: Pick<Row<"decision">, "account_no" | "livemode" | "id">) {
  await giveBack(tx, { account_no: decision.account_no, livemode: decision.livemode, id: decision.id });
}

const giveBack = statement(`
  with held as (
    update decision set has_token = false
    where account_no = :account_no and livemode = :livemode and id = :id::text and has_token
    returning id
  )
  update admission set tokens = least(tokens + 1, bucket_size)
  where account_no = :account_no and livemode = :livemode and exists (select from held)`);

/**
 * Takes more tokens after a decline of a stranger's card, even if there are none, up to a debt as large as the bucket.
 * Most stolen numbers are declined, and most customers' cards aren't, so an attacker uses up the tokens faster than
 * customers do. Trying the same card again costs nothing more. Runs in the transaction that settles the payment.
 */
export async function takeForDecline(tx: Tx, { account_no, livemode, decision_id }: Row<"attempt">) {
  await takeMore(tx, { account_no, livemode, decision_id, cost: declineCost });
}

const takeMore = statement(`
  update admission set tokens = greatest(-bucket_size, tokens - :cost::integer)
  where account_no = :account_no and livemode = :livemode and exists (
    select from decision
    where account_no = :account_no and livemode = :livemode and id = :decision_id::text and has_token
  )`);

type TendContext = Pick<PlatformContext, "db" | "now" | "log"> & { riskSettings: RiskSettings };

/**
 * Brings buckets up to date, once an hour: payments that stayed without a refund for 30 days refill them, and each day
 * has its own limit. Runs in a worker.
 *
 * @returns the number of buckets
 */
export async function tendBuckets(context: TendContext, limit: number): Promise<number> {
  const { db, now } = context;
  const time = now();
  const tended = await takeDue(context, {
    step: "refill buckets",
    due: db
      .selectFrom("admission")
      .select(["account_no", "livemode", "tended_at as id"])
      .where("tended_at", "<=", new Date(time.getTime() - tendEveryMs))
      .orderBy("tended_at"),
    column: "tended_at",
    limit,
    take: (areTaken) => db.transaction().execute((tx) => tend(context, tx, areTaken)),
  });
  return tended.length;
}

async function tend(context: TendContext, tx: Tx, isTaken: RawBuilder<boolean>): Promise<void> {
  const now = context.now();
  const row = await tx.selectFrom("admission").selectAll().where(isTaken).executeTakeFirst();
  if (row === undefined) return; // another worker was faster
  const owner = tenantOf(row);
  const isNewDay = dayOf(row.tended_at) !== dayOf(now);
  const bucket_size = row.policy === null ? defaultSize(context, row) : row.bucket_size;
  const daily_cap = isNewDay ? Math.max(bucket_size, await paymentsPerDay(tx, owner, now)) : row.daily_cap;
  const refilled = isNewDay ? 0 : row.refilled;
  const until = new Date(Math.max(row.matured_until.getTime(), now.getTime() - provedAfterMs));
  const matured = await countMatured(tx, owner, row.matured_until, until);
  const added = Math.max(0, Math.min(matured, bucket_size - row.tokens, daily_cap - refilled));
  await tx
    .updateTable("admission")
    .set({
      bucket_size,
      tokens: Math.min(row.tokens + added, bucket_size),
      refilled: refilled + added,
      daily_cap,
      matured_until: until,
      tended_at: now,
    })
    .where(ownedBy(owner))
    .execute();
}

/** The operator may have changed it since the row was written. */
function defaultSize({ riskSettings }: TendContext, row: Row<"admission">): number {
  return settingsFor(riskSettings, row)?.newCustomers.bucketSize ?? row.bucket_size;
}

function dayOf(time: Date): number {
  return Math.floor(time.getTime() / dayMs);
}

/** The approved payments at the checkout per day, on average. Card tries are kept for 30 days. */
async function paymentsPerDay(tx: Tx, owner: Tenant, now: Date): Promise<number> {
  const { count } = await tx
    .selectFrom("card_try")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where(ownedBy(owner))
    .where("outcome", "=", "approved")
    .where("session_id", "is not", null)
    .where("created_at", ">", new Date(now.getTime() - volumeDays * dayMs))
    .executeTakeFirstOrThrow();
  return Math.ceil(count / volumeDays);
}

/** Counts strangers' payments that have been proved by time. Those with a challenge have already refilled the bucket. */
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
    .where("decision.has_token", "=", true)
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

/** Refills the bucket with one token. Runs in the transaction that settles a payment. */
export async function refillBucket(tx: Tx, { account_no, livemode }: { account_no: number; livemode: boolean }) {
  await refill(tx, { account_no, livemode, refills: true });
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

const refill = statement(`with settled as (select), ${refilledBucket} select`);
