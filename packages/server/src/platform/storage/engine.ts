/** Finds out whether a PostgreSQL server is the coordinator of a Citus cluster. */
import type pg from "pg";

export type Engine = "pglite" | "postgres" | "citus";

/** A server with the extension but without workers is used like PostgreSQL. */
export async function readEngine(client: Pick<pg.Client, "query">): Promise<Exclude<Engine, "pglite">> {
  const extension = await client.query("select 1 from pg_extension where extname = 'citus'");
  if (extension.rows.length === 0) return "postgres";
  const workers = await client.query("select 1 from pg_dist_node where noderole = 'primary' and groupid <> 0");
  return workers.rows.length === 0 ? "postgres" : "citus";
}
