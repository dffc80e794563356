/** Reads every table of every schema, including the vault's, as a thief with a copy of the database would. */
import { sql } from "kysely";
import type { Db } from "../../src/platform/storage/database.ts";

/**
 * The number of rows in each table, by qualified name. Leaves out the request log, which is written some time after the
 * responses.
 */
export async function countRows(db: Db): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await tables(db)) {
    if (name === "public.request_log") continue;
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from ${sql.table(name)}`.execute(
      db,
    );
    counts[name] = rows[0]?.count ?? 0;
  }
  return counts;
}

/** Every row as JSON, one per line, with bytes in hex. */
export async function dumpDatabase(db: Db): Promise<string> {
  let dump = "";
  for (const { name } of await tables(db)) {
    const { rows } = await sql<{ row: string }>`select row_to_json(t)::text as row from ${sql.table(name)} t`.execute(
      db,
    );
    dump += rows.map(({ row }) => `${name} ${row}\n`).join("");
  }
  return dump;
}

async function tables(db: Db): Promise<{ name: string }[]> {
  const { rows } = await sql<{ name: string }>`
    select table_schema || '.' || table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`.execute(
    db,
  );
  if (!rows.some(({ name }) => name === "vault.card")) throw new Error("Bug: the vault's tables are not included");
  return rows;
}
