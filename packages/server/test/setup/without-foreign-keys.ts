/** For tests that change the owner of rows in the database, as somebody with write access to it could. */
import { sql } from "kysely";
import type { Db, Tx } from "../../src/platform/storage/database.ts";

/** Foreign keys start with the owner, so they would refuse to move a row alone. Here they aren't checked. */
export async function withoutForeignKeys(db: Db, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await work(tx);
  });
}
