/**
 * Lets processes die at the database: before or after a commit. A statement outside of a transaction is its own commit.
 * It replaces the pool's `connect`, which everything goes through, so the service's own code runs unchanged.
 */
import type { PglitePool } from "../../packages/server/src/platform/storage/pglite-pool.ts";
import { prepareQueries } from "./prepared-queries.ts";
import type { Processes } from "./processes.ts";

export function makeMortal(pool: PglitePool, processes: Processes): void {
  const connect = pool.connect.bind(pool);
  const query = prepareQueries(pool.pglite);
  pool.connect = async () => {
    await processes.requireLife();
    const client = await connect();
    const process = processes.current();
    if (process === null) return { query: async (sql, values) => query(sql, values), release: client.release };
    if (process.isDead) client.release();
    await processes.requireLife();

    let isInTransaction = false;
    const giveUp = async () => {
      if (isInTransaction) query("rollback");
      client.release();
    };
    process.held.add(giveUp);
    return {
      async query(sql, values) {
        await processes.requireLife();
        const kind = kindOf(sql);
        const commits = kind === "commit" || (kind === "write" && !isInTransaction);
        if (commits) await processes.point();
        const result = query(sql, values);
        if (kind === "begin") isInTransaction = true;
        if (kind === "commit" || kind === "rollback") isInTransaction = false;
        if (commits) await processes.point();
        return result;
      },
      release() {
        if (process.isDead) return; // already released
        process.held.delete(giveUp);
        client.release();
      },
    };
  };
}

type Kind = "begin" | "commit" | "rollback" | "write" | "read";

function kindOf(sql: string): Kind {
  const [, word = ""] = /^\s*(\w+)/.exec(sql) ?? [];
  switch (word.toLowerCase()) {
    case "begin":
    case "start":
      return "begin";
    case "commit":
      return "commit";
    case "rollback":
      return "rollback";
    default:
      return /\b(insert into|update|delete from)\b/i.test(sql) ? "write" : "read";
  }
}
