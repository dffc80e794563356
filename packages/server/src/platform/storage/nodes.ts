/**
 * The nodes of a Citus cluster that don't respond. A statement that names an account needs only the account's node. A query
 * about the rows of all accounts needs all nodes, so while one is missing, it's about the accounts on the others.
 */
import { sql, type RawBuilder } from "kysely";
import type { Log } from "../log.ts";
import { shareResults } from "../share-results.ts";
import type { Database, Db } from "./database.ts";
import { isDatabaseFailure } from "./is-database-failure.ts";

const checkEveryMs = 2_000;
const respondsWithinMs = 2_000;

export interface Nodes {
  /** Those that don't respond, such as `db-2:5432`. */
  readonly missing: readonly string[];
  /** @param query must use the condition for each table whose rows belong to accounts */
  ofAllAccounts<T>(query: (isReachable: IsReachable) => Promise<T>): Promise<T>;
  stop(): void;
}

/**
 * The condition that a row's node responds.
 *
 * @param table is needed if several tables are joined
 */
export type IsReachable = (table?: string) => RawBuilder<boolean>;

const always: IsReachable = () => sql<boolean>`true`;

const oneNode: Nodes = { missing: [], ofAllAccounts: async (query) => await query(always), stop() {} };

/** Checks the nodes every two seconds, and when a query fails. */
export function watchNodes({ db, engine }: Pick<Database, "db" | "engine">, log: Log): Nodes {
  if (engine !== "citus") return oneNode;
  let missing: string[] = [];
  let isReachable = always;
  const waiting = new Set<(reason: Error) => void>();
  const share = shareResults<void>();
  /** A node that hangs keeps one connection of the pool busy, not one for each check. */
  const shareResponse = shareResults<boolean>();

  async function check(): Promise<void> {
    const workers = await readWorkers(db);
    const responses = await Promise.all(
      workers.map(async (worker) => await inTime(shareResponse(worker.name, async () => await responds(db, worker)))),
    );
    const silent = workers.filter((_worker, index) => responses[index] === false);
    const names = silent.map(({ name }) => name);
    if (names.length > 0) isReachable = isAnyOf(await accountsElsewhere(db, silent));
    else isReachable = always;
    const isSame = names.join() === missing.join();
    missing = names;
    if (isSame) return;
    if (names.length === 0) return log.info({}, "All nodes of the database respond again");
    for (const reject of waiting) reject(lost);
    log.error({ nodes: names }, "Nodes of the database don't respond; their accounts can't be used");
  }

  /** Doesn't wait for a query that waits for a missing node. If that node hangs, it could take a minute. */
  async function orLost<T>(query: Promise<T>): Promise<T> {
    const { promise: loss, reject } = Promise.withResolvers<never>();
    waiting.add(reject);
    try {
      return await Promise.race([query, loss]);
    } finally {
      waiting.delete(reject);
    }
  }

  const checkNow = async () => await share("", check).catch(() => {}); // then the coordinator doesn't respond
  const timer = setInterval(() => void checkNow(), checkEveryMs).unref();
  return {
    get missing() {
      return missing;
    },
    async ofAllAccounts(query) {
      try {
        return await orLost(query(isReachable));
      } catch (error) {
        if (!isDatabaseFailure(error)) throw error;
        if (error !== lost) await checkNow();
        if (missing.length === 0) throw error;
        return await query(isReachable);
      }
    },
    stop: () => clearInterval(timer),
  };
}

const lost = Object.assign(new Error("A node of the database doesn't respond"), { code: "08006" });

interface Node {
  name: string;
  host: string;
  port: number;
  group: number;
}

async function readWorkers(db: Db): Promise<Node[]> {
  const { rows } = await sql<Node>`
    select nodename || ':' || nodeport as name, nodename as host, nodeport as port, groupid as group
    from pg_dist_node where noderole = 'primary' and groupid <> 0 order by 1`.execute(db);
  return rows;
}

async function responds(db: Db, { host, port }: Node): Promise<boolean> {
  const { rows } = await sql<{ responds: boolean }>`
    select citus_check_connection_to_node(${host}, ${port}) as responds`.execute(db);
  return rows[0]?.responds ?? false;
}

/** Returns false if there's no response in time, and also if there's none at all. */
async function inTime(response: Promise<boolean>): Promise<boolean> {
  const { promise: tooLong, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, respondsWithinMs, false);
  return await Promise.race([response, tooLong])
    .catch(() => false)
    .finally(() => clearTimeout(timer));
}

/** Reads only tables of which the coordinator has a copy. */
async function accountsElsewhere(db: Db, nodes: readonly Node[]): Promise<number[]> {
  const groups = nodes.map(({ group }) => group);
  const { rows } = await sql<{ account_no: number }>`
    select account_no from account
    where exists (
      select 1 from pg_dist_placement
      where shardid = get_shard_id_for_distribution_column('checkout_session', account.account_no)
        and groupid <> all(${groups})
    )`.execute(db);
  return rows.map(({ account_no }) => account_no);
}

/** The condition while only these accounts' nodes respond. */
export function isAnyOf(accounts: readonly number[]): IsReachable {
  return (table) =>
    sql<boolean>`${sql.ref(table === undefined ? "account_no" : `${table}.account_no`)} = any(${accounts})`;
}

/**
 * The endpoints with pending deliveries. The view needs all nodes. Without one of them, these are all endpoints on the
 * others.
 */
export function waitingEndpoints(isReachable: IsReachable): RawBuilder<unknown> {
  if (isReachable === always) return sql`waiting_endpoint`;
  return sql`(select account_no, livemode, id as endpoint_id from webhook_endpoint where ${isReachable()})`;
}
