/**
 * Copies tables to lines of text and back, the same for PostgreSQL and PGlite. `pg_dump` isn't used, because it can't
 * read PGlite, has to be as new as the server, and would have to be installed.
 *
 * ```
 * table public.account
 * {"id":"acct_1", ...}        one row per line, as PostgreSQL's `row_to_json` writes it
 * ```
 *
 * A copy doesn't contain:
 * - unlogged tables, because `vault.cvc` is one and no backup may contain a CVC
 * - the list of migrations, because rows are only copied into tables that the same migrations created
 */
import { sql, type RawBuilder } from "kysely";
import { OperatorError } from "@oriel/commands/operator-error";
import type { Db, Tx } from "../../platform/storage/database.ts";

/** The number of rows in each table, by qualified name. */
export type RowCounts = Record<string, number>;

/** One statement or one line of the file at a time. Some rows contain whole documents. */
const batchBytes = 4 * 1024 * 1024;
const batchRows = 1000;

/** Turns the database's time limits off for a long transaction. Must be its first statement. */
export async function withoutTimeLimits(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
}

/** A transaction for each schema: the same for both, or one in the service's and one in the vault's database. */
export interface Transactions {
  public: Tx;
  vault: Tx;
}

/** Lists the tables of a schema that belong in a copy. Tables that other programs created don't. */
export async function tablesToCopy(tx: Tx, schema: keyof Transactions): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select nspname || '.' || relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and relpersistence = 'p' and nspname = ${schema} and relname not like 'kysely\\_%'
       and relowner in (
         select relowner from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where relname = 'kysely_migration' and nspname in ('public', 'vault'))
     order by 1`.execute(tx);
  return rows.map(({ name }) => name);
}

/** @param counts receives the number of rows read so far */
export async function* readTable(tx: Tx, name: string, counts: RowCounts): AsyncGenerator<string> {
  yield `table ${name}\n`;
  let count = (counts[name] = 0);
  // The size of the next batch depends on the rows so far.
  let size = 10;
  let bytes = 0;
  await sql`declare copied_rows no scroll cursor for select row_to_json(t)::text as row from ${sql.table(name)} t`.execute(
    tx,
  );
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch forward ${sql.raw(String(size))} from copied_rows`.execute(tx);
    if (rows.length === 0) break;
    for (const { row } of rows) {
      bytes += row.length;
      yield `${row.replaceAll("\n", " ")}\n`; // a line break in JSON text is only ever white space
    }
    counts[name] = count += rows.length;
    size = Math.max(1, Math.min(batchRows, Math.floor((batchBytes * count) / bytes)));
  }
  await sql`close copied_rows`.execute(tx);
}

/**
 * Replaces the contents of all tables in a copy. Foreign keys are dropped and added again, which checks them, and
 * triggers are off, so the rows don't change.
 *
 * @param tables in the copy
 * @param lines of the copy
 * @throws OperatorError if the copy and the database don't have the same tables
 */
export async function writeTables(
  txs: Transactions,
  tables: readonly string[],
  lines: AsyncIterable<string>,
  onProgress: (table: string, rows: number) => void,
): Promise<void> {
  const own = [...(await tablesToCopy(txs.public, "public")), ...(await tablesToCopy(txs.vault, "vault"))];
  const unmatched = tables.find((name) => !own.includes(name)) ?? own.find((name) => !tables.includes(name));
  if (unmatched !== undefined)
    throw new OperatorError(
      `The table ${unmatched} is missing in the ${own.includes(unmatched) ? "backup" : "database"}. Restore the backup with the version of Oriel that made it.`,
    );
  const foreignKeys = [
    ...(await listForeignKeys(txs.public, "public")),
    ...(await listForeignKeys(txs.vault, "vault")),
  ];
  for (const { table, name } of foreignKeys)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(txOf(txs, table));
  for (const name of own) {
    const tx = txOf(txs, name);
    await sql`alter table ${sql.table(name)} disable trigger user`.execute(tx);
    await sql`truncate ${sql.table(name)}`.execute(tx);
  }
  let insert: (rows: string[]) => Promise<void> = () => Promise.reject(new Error("Bug: a row before its table"));
  let batch: string[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length > 0) await insert(batch);
    [batch, bytes] = [[], 0];
  };
  for await (const line of lines) {
    if (line.startsWith("table ")) {
      await flush();
      const name = line.slice("table ".length);
      const insertRows = await inserterFor(txOf(txs, name), name);
      let count = 0;
      insert = async (rows) => {
        await insertRows(rows);
        onProgress(name, (count += rows.length));
      };
      continue;
    }
    batch.push(line);
    bytes += line.length;
    if (batch.length >= batchRows || bytes >= batchBytes) await flush();
  }
  await flush();
  for (const name of own) await sql`alter table ${sql.table(name)} enable trigger user`.execute(txOf(txs, name));
  for (const { table, name, definition } of foreignKeys)
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(
      txOf(txs, table),
    );
  await advanceSequences(txs.public, "public");
  await advanceSequences(txs.vault, "vault");
}

function txOf(txs: Transactions, table: string): Tx {
  return table.startsWith("vault.") ? txs.vault : txs.public;
}

/** @returns the tables, of any schema, that have rows which no migration created */
export async function tablesInUse(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select nspname || '.' || relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and nspname <> 'information_schema' and nspname not like 'pg\\_%'
       and relname not like 'kysely\\_%' and relname not in ('audit_head', 'write_check', 'rate_bucket')
     order by 1`.execute(db);
  const inUse: string[] = [];
  for (const { name } of rows) {
    const { rows: found } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (found.length > 0) inUse.push(name);
  }
  return inUse;
}

export async function countRows(txs: Transactions, tables: readonly string[]): Promise<RowCounts> {
  const counts: RowCounts = {};
  for (const name of tables) {
    const { rows } = await sql<{ count: string }>`select count(*)::text as count from ${sql.table(name)}`.execute(
      txOf(txs, name),
    );
    counts[name] = Number(rows[0]?.count);
  }
  return counts;
}

async function inserterFor(tx: Tx, name: string): Promise<(rows: readonly string[]) => Promise<void>> {
  const { rows: columns } = await sql<{ name: string }>`
    select attname as name from pg_attribute
     where attrelid = ${name}::text::regclass and attnum > 0 and not attisdropped order by attnum`.execute(tx);
  const names: RawBuilder<unknown> = sql.join(columns.map((column) => sql.ref(column.name)));
  const table = sql.table(name);
  return async (rows) => {
    await sql`insert into ${table} (${names}) overriding system value
      select ${names} from json_populate_recordset(null::${table}, ${`[${rows.join(",")}]`}::json)`.execute(tx);
  };
}

async function listForeignKeys(
  tx: Tx,
  schema: keyof Transactions,
): Promise<{ table: string; name: string; definition: string }[]> {
  const { rows } = await sql<{ table: string; name: string; definition: string }>`
    select nspname || '.' || relname as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
      from pg_constraint join pg_class on pg_class.oid = conrelid join pg_namespace on pg_namespace.oid = relnamespace
     where contype = 'f' and nspname = ${schema} order by 1, 2`.execute(tx);
  return rows;
}

/** Makes identity columns continue after the highest number in their table. */
async function advanceSequences(tx: Tx, schema: keyof Transactions): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select nspname || '.' || relname as table, attname as column
      from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
     where attidentity <> '' and relkind = 'r' and nspname = ${schema}`.execute(tx);
  for (const { table, column } of rows) {
    await sql`
      select setval(pg_get_serial_sequence(${table}, ${column}), coalesce(highest, 1), highest is not null)
      from (select max(${sql.ref(column)}) as highest from ${sql.table(table)}) filled`.execute(tx);
  }
}
