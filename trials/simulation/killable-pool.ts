/**
 * Lets processes die at the database: before or after a commit. A statement outside of a transaction is its own commit.
 * It also lets a write fail because the database waited too long for a lock, or loses the connection right after a
 * commit.
 *
 * It replaces the pool's `connect`, which everything goes through, so the service's own code runs unchanged.
 */
import type { PglitePool } from "../../packages/server/src/platform/storage/pglite-pool.ts";
import { prepareQueries } from "./prepared-queries.ts";
import type { Processes } from "./processes.ts";

const failureMessage = "The simulated database failed";

/** Lock not available, and admin shutdown. */
const [noLock, noConnection] = ["55P03", "57P01"];

export function makeKillable(pool: PglitePool, processes: Processes): void {
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
    let isBroken = false;
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
        if (isBroken && kind !== "rollback") throw failure(noConnection);
        if (commits) await processes.point();
        const fails = (kind === "commit" || kind === "write") && process.writesLeft-- === 0;
        if (fails && kind === "write") {
          isBroken = isInTransaction;
          throw failure(noLock);
        }
        const result = query(sql, values);
        if (kind === "begin") isInTransaction = true;
        if (kind === "commit" || kind === "rollback") isInTransaction = isBroken = false;
        if (fails) throw failure(noConnection);
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

/** @param error an error, or a message that contains one */
export function isStatementFailure(error: unknown): boolean {
  return String(error).includes(failureMessage);
}

function failure(code: string): Error {
  return Object.assign(new Error(failureMessage), { code });
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
