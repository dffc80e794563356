/** Brings the tables up to date: numbered, forward-only, each run once, safe when several processes start at once. */
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { vaultMigrations } from "@oriel/vault";
import type { Db } from "./database.ts";
import { core } from "./migrations/0001-core.ts";

const migrations: Record<string, string> = { "0001_core": core, ...vaultMigrations };

export async function migrate(db: Db): Promise<void> {
  const provider = {
    getMigrations: async () =>
      Object.fromEntries(
        Object.entries(migrations).map(([name, statements]) => [
          name,
          { up: async (tx: Db) => void (await sql.raw(statements).execute(tx)) },
        ]),
      ),
  };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error !== undefined) throw error;
}
