/** Names a database and its version for people, such as "PostgreSQL 18.1". */
import { sql } from "kysely";
import type { Database, Db } from "../platform/storage/database.ts";

export async function describeDatabase({ db, engine }: Database): Promise<string> {
  const kind = { pglite: "embedded PostgreSQL", postgres: "PostgreSQL", citus: "Citus on PostgreSQL" }[engine];
  return `${kind} ${await readServerVersion(db)}`;
}

export async function readServerVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  return rows[0]?.version ?? "";
}
