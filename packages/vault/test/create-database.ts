import pg from "pg";
import { inject } from "vitest";
import { createDatabase } from "../../server/test/setup/create-database.ts";
import { vaultMigrations } from "../src/migrations.ts";

export interface TestDatabase {
  name: string;
  url: string;
  pool: pg.Pool;
  /** Opens connections of another role, which the caller closes. */
  connect(user: string, password: string): pg.Pool;
  /** Closes the connections of `pool` and removes the database. */
  drop(): Promise<void>;
}

/** A database with the vault's tables, on the project's PostgreSQL. */
export async function createVaultDatabase(): Promise<TestDatabase> {
  const server = inject("postgresUrl");
  if (server === null) throw new Error("Bug: these tests belong to a project with PostgreSQL");
  const { name, url, drop } = await createDatabase(server);
  const pool = openPool(url);
  for (const statements of Object.values(vaultMigrations)) await pool.query(statements);
  return {
    name,
    url,
    pool,
    connect(user, password) {
      const asUser = Object.assign(new URL(url), { username: user, password });
      return openPool(asUser.href);
    },
    async drop() {
      await pool.end();
      await drop();
    },
  };
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  // The database may be dropped before the server has closed the last connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
