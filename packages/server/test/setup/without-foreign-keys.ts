/** For tests that change the owner of rows in the database, as somebody with write access to it could. */
import { sql } from "kysely";
import type { Db, Tx } from "../../src/platform/storage/database.ts";
import type { Tables } from "../../src/platform/storage/tables.ts";

/** Foreign keys start with the owner, so they would refuse to move a row alone. Here they aren't checked. */
export async function withoutForeignKeys(db: Db, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Otherwise, the setting doesn't apply to the workers of a Citus cluster.
    await sql`set local citus.propagate_set_commands = 'local'`.execute(tx);
    await sql`set local session_replication_role = replica`.execute(tx);
    await work(tx);
  });
}

/** Gives a row to another account. Deletes and inserts it, because Citus refuses to update the account. */
export async function moveToAccount(db: Db, table: keyof Tables, id: string, accountNo: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and column_name <> 'account_no'`.execute(db);
  const others = sql.join(rows.map(({ name }) => sql.ref(name)));
  await withoutForeignKeys(db, (tx) =>
    sql`
      with moved as (delete from ${sql.table(table)} where id = ${id} returning *)
      insert into ${sql.table(table)} (account_no, ${others}) select ${accountNo}::bigint, ${others} from moved`.execute(
      tx,
    ),
  );
}
