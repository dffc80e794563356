import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export interface TestDatabase {
  name: string;
  pool: pg.Pool;
  /** Opens connections of another role, which the caller closes. */
  connect(user: string, password: string): pg.Pool;
  url: string;
  /** Closes the connections of `pool` and removes the database. */
  drop(): Promise<void>;
}

/** A new database on the PostgreSQL that `packages/server/test/setup/database.ts` has started for this project. */
export async function createDatabase(): Promise<TestDatabase> {
  const server = inject("postgresUrl");
  if (server === null) throw new Error("Bug: these tests belong to a project with PostgreSQL");
  const name = `vault_${randomBytes(6).toString("hex")}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await onServer(server, `create database ${name}`);
  const pool = new pg.Pool({ connectionString: url.href, max: 8 });
  return {
    name,
    pool,
    url: url.href,
    connect(user, password) {
      const asUser = Object.assign(new URL(url), { username: user, password });
      return new pg.Pool({ connectionString: asUser.href, max: 8 });
    },
    async drop() {
      await pool.end();
      await onServer(server, `drop database ${name} with (force)`);
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
