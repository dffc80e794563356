/**
 * Distributes the tables by account in a Citus cluster. `migrate` does this, so nobody has to know which tables there are.
 * It does so by itself only while there are no accounts, because processes of earlier versions stop working.
 *
 * - What an account owns in one mode (the tables with `account_no` and `livemode`) is distributed by `account_no`, so all
 *   rows of an account are on one worker.
 * - `account` is copied to every node, because everything refers to it.
 * - All other tables stay on the coordinator: people, applications, the audit log, emails, rate limits and the vault.
 * - A function (`stored-function.ts`) runs on the worker that has the account's rows. Citus refuses it if it needs another
 *   worker.
 */
import { sql } from "kysely";
import type { Db } from "./database.ts";
import type { StoredFunction } from "./stored-function.ts";

/** Any number that no other lock of the service has. */
const lock = 7_103_482_206;
/** The table whose rows determine where the others' rows are. */
const first = "checkout_session";

/** Whether tables may be distributed without a request: some are already, or there's nothing in them yet. */
export async function mayDistribute(db: Db): Promise<boolean> {
  if (await isDistributed(db)) return true;
  return (await db.selectFrom("account").select("account_no").limit(1).executeTakeFirst()) === undefined;
}

export async function isDistributed(db: Db): Promise<boolean> {
  const { rows } =
    await sql`select 1 from pg_dist_partition where logicalrelid = to_regclass('public.account')`.execute(db);
  return rows.length > 0;
}

/** @returns the tables that have to be distributed and aren't yet, in that order */
export async function undistributed(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace
      and (relname = 'account' or 2 = (
        select count(*) from pg_attribute
        where attrelid = pg_class.oid and attname in ('account_no', 'livemode') and not attisdropped
      ))
      and not exists (
        -- Tables of the coordinator that refer to account are in the list, too.
        select 1 from pg_dist_partition where logicalrelid = pg_class.oid and (partmethod = 'h' or repmodel = 't')
      )
    order by relname <> 'account', relname <> ${first}, relname`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Must be the first in a transaction that distributes. By default, Citus uses several connections to each worker, which
 * don't see each other's changes.
 */
export async function useOneConnection(tx: Db): Promise<void> {
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(tx);
}

/** Must run in a transaction. If it fails, nothing has changed. */
export async function distribute(tx: Db): Promise<void> {
  await useOneConnection(tx);
  await sql`select pg_advisory_xact_lock(${lock})`.execute(tx);
  const tables = await undistributed(tx);
  if (tables.length > 0) await distributeTables(tx, tables);
  await planTriggersEachTime(tx);
}

/** @returns the signatures of the functions that exist and don't run on the workers yet */
export async function undelegated(db: Db, functions: readonly StoredFunction[]): Promise<string[]> {
  const { rows } = await sql<{ signature: string }>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'public'::regnamespace and proname = any(${functions.map((one) => one.storedName)})
      and not exists (
        select 1 from pg_dist_object
        where classid = 'pg_proc'::regclass and objid = pg_proc.oid and force_delegation
      )
    order by proname`.execute(db);
  return rows.map(({ signature }) => signature);
}

/** Must run in a transaction, after the tables were distributed. */
export async function delegate(tx: Db, functions: readonly StoredFunction[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lock})`.execute(tx);
  for (const signature of await undelegated(tx, functions)) {
    await sql`select create_distributed_function(${signature}, '$1', colocate_with => ${first}, force_delegation => true)`.execute(
      tx,
    );
    await planEachTime(tx, signature);
  }
}

/** Others may have functions in the same schema. */
const isOurs = sql<boolean>`proowner = (select relowner from pg_class where oid = 'public.account'::regclass)`;

async function distributeTables(tx: Db, tables: readonly string[]): Promise<void> {
  await sql`set local client_min_messages to warning`.execute(tx);

  // Tables that refer to each other can't be distributed one after another.
  const { rows: foreignKeys } = await sql<{ table: string; name: string; definition: string }>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and (conrelid::regclass::text = any(${tables}) or confrelid::regclass::text = any(${tables}))`.execute(
    tx,
  );
  for (const { table, name } of foreignKeys)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx);
  // Citus copies the rows into the new shards, where triggers would run again.
  const { rows: triggers } = await sql<{ table: string; name: string; definition: string }>`
    select tgrelid::regclass::text as table, tgname as name, pg_get_triggerdef(oid) as definition
    from pg_trigger where not tgisinternal and tgrelid::regclass::text = any(${tables})`.execute(tx);
  for (const { table, name } of triggers) await sql`drop trigger ${sql.ref(name)} on ${sql.table(table)}`.execute(tx);
  for (const table of tables) {
    if (table === "account") await sql`select create_reference_table(${table})`.execute(tx);
    else {
      const other = table === first ? "none" : first;
      await sql`select create_distributed_table(${table}, 'account_no', colocate_with => ${other})`.execute(tx);
    }
  }
  for (const { table, name, definition } of foreignKeys)
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(tx);
  for (const { definition } of triggers) await sql.raw(definition).execute(tx);

  // Triggers and queries on the workers call them.
  const { rows: functions } = await sql<{ signature: string }>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'public'::regnamespace and starts_with(proname, 'search_') and ${isOurs}`.execute(tx);
  for (const { signature } of functions) await sql`select create_distributed_function(${signature})`.execute(tx);
  await sql.raw(waitingEndpoint).execute(tx);
}

async function planTriggersEachTime(tx: Db): Promise<void> {
  const { rows } = await sql<{ signature: string }>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype and ${isOurs}
      and not coalesce('plan_cache_mode=force_custom_plan' = any(proconfig), false)`.execute(tx);
  for (const { signature } of rows) await planEachTime(tx, signature);
}

/**
 * On a worker, Citus 13.2 plans the statements of a function again whenever they run, and keeps each plan until the
 * connection closes, unless the function has this setting.
 */
async function planEachTime(tx: Db, signature: string): Promise<void> {
  await sql`alter function ${sql.raw(signature)} set plan_cache_mode = force_custom_plan`.execute(tx);
}

/**
 * Citus can't skip from one endpoint to the next in an index (`schema/distributable.ts`), so this looks for a delivery of
 * each endpoint, on all workers at once.
 */
const waitingEndpoint = /* sql */ `
  create or replace view waiting_endpoint as
  select endpoint.account_no, endpoint.livemode, endpoint.id as endpoint_id from webhook_endpoint endpoint
  where exists (
    select 1 from delivery
    where delivery.account_no = endpoint.account_no and delivery.livemode = endpoint.livemode
      and delivery.endpoint_id = endpoint.id and delivery.status = 'pending'
  )`;
