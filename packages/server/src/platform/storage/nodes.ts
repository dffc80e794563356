/**
 * The nodes of a Citus cluster that don't respond. A statement that names an account needs only the account's node. A query
 * about the rows of all accounts needs all nodes, so while one is missing, such a query only covers the accounts on the others.
 */
import { sql, type RawBuilder } from "kysely";
import type { Log } from "../log.ts";
import { shareResults } from "../share-results.ts";
import { openForChecks, type Database, type Db } from "./database.ts";
import { isDatabaseFailure } from "./is-database-failure.ts";

const checkEveryMs = 2_000;
const respondsWithinMs = 2_000;

export interface Nodes {
  /** Those that don't respond, such as `db-2:5432`. */
  readonly missing: readonly string[];
  /** @param query must apply the condition to each table whose rows belong to accounts. It may be called twice. */
  ofAllAccounts<T>(query: (isReachable: IsReachable) => Promise<T>): Promise<T>;
  /**
   * Call this before the first statement about an account. If its node hangs, a statement could keep one of the few
   * connections for half a minute, and one of the coordinator's for even longer.
   *
   * @throws Error that {@link isDatabaseFailure} recognizes, if the account's node is missing
   */
  requireNodeOf(accountNo: number | undefined): void;
  stop(): Promise<void>;
}

/**
 * The condition that a row's node responds.
 *
 * @param table is needed if several tables are joined
 */
export type IsReachable = (table?: string) => RawBuilder<boolean>;

const always: IsReachable = () => sql<boolean>`true`;

const oneNode: Nodes = {
  missing: [],
  ofAllAccounts: async (query) => await query(always),
  requireNodeOf() {},
  async stop() {},
};

/** Checks the nodes every two seconds, and when a query fails. */
export function watchNodes({ choice, engine }: Pick<Database, "choice" | "engine">, log: Log): Nodes {
  if (engine !== "citus" || choice.kind !== "postgres") return oneNode;
  const db = openForChecks(choice.url);
  let missing: string[] = [];
  /** The accounts on missing nodes. */
  let lostAccounts: ReadonlySet<number> = new Set();
  let isReachable = always;
  const waiting = new Set<(reason: Error) => void>();
  const share = shareResults<void>();

  async function check(): Promise<void> {
    const { names, accounts } = await findMissing(db);
    const numbersWhere = (isOnMissing: boolean) =>
      accounts.filter((account) => account.is_on_missing === isOnMissing).map(({ account_no }) => account_no);
    const isSame = names.join() === missing.join();
    missing = names;
    lostAccounts = new Set(numbersWhere(true));
    isReachable = names.length === 0 ? always : isAnyOf(numbersWhere(false));
    if (isSame) return;
    if (names.length === 0) return log.info({}, "All nodes of the database respond again");
    for (const reject of waiting) reject(lost);
    log.error({ nodes: names }, "Nodes of the database don't respond; their accounts can't be used");
  }

  /** Fails as soon as a node is found missing. A query that waits for a node that hangs could take a minute. */
  async function unlessLost<T>(query: Promise<T>): Promise<T> {
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
        return await unlessLost(query(isReachable));
      } catch (error) {
        if (!isDatabaseFailure(error)) throw error;
        if (error !== lost) await checkNow();
        if (missing.length === 0) throw error;
        return await query(isReachable);
      }
    },
    requireNodeOf(accountNo) {
      if (accountNo !== undefined && lostAccounts.has(accountNo)) throw lost;
    },
    async stop() {
      clearInterval(timer);
      await db.destroy();
    },
  };
}

const lost = Object.assign(new Error("A node of the database doesn't respond"), { code: "08006" });

/**
 * The coordinator opens a new connection to each worker, because one that is open may have been lost unnoticed, or may wait
 * for as long as TCP does.
 *
 * @returns the missing workers, and if there are any, all accounts
 */
async function findMissing(db: Db): Promise<{ names: string[]; accounts: PlacedAccount[] }> {
  return await db.transaction().execute(async (tx) => {
    await sql`
      select set_config('citus.node_connection_timeout', ${String(respondsWithinMs)}, true),
        set_config('citus.max_cached_conns_per_worker', '0', true)`.execute(tx);
    const { rows } = await sql<{ name: string; group: number }>`
      select nodename || ':' || nodeport as name, groupid as group
      from pg_dist_node
      where noderole = 'primary' and groupid <> 0 and not citus_check_connection_to_node(nodename, nodeport)
      order by 1`.execute(tx);
    if (rows.length === 0) return { names: [], accounts: [] };
    const groups = rows.map(({ group }) => group);
    return { names: rows.map(({ name }) => name), accounts: await readAccounts(tx, groups) };
  });
}

interface PlacedAccount {
  account_no: number;
  is_on_missing: boolean;
}

/** Reads only tables of which the coordinator has a copy. */
async function readAccounts(db: Db, missingGroups: readonly number[]): Promise<PlacedAccount[]> {
  const { rows } = await sql<PlacedAccount>`
    select account_no, not exists (
      select 1 from pg_dist_placement
      where shardid = get_shard_id_for_distribution_column('checkout_session', account.account_no)
        and groupid <> all(${missingGroups})
    ) as is_on_missing
    from account`.execute(db);
  return rows;
}

/** The condition while only these accounts' nodes respond. */
export function isAnyOf(accounts: readonly number[]): IsReachable {
  return (table) =>
    sql<boolean>`${sql.ref(table === undefined ? "account_no" : `${table}.account_no`)} = any(${accounts})`;
}

/**
 * The endpoints with pending deliveries. Their view needs all nodes. While one is missing, this has every endpoint on the
 * other nodes instead, with or without pending deliveries.
 */
export function waitingEndpoints(isReachable: IsReachable): RawBuilder<unknown> {
  if (isReachable === always) return sql`waiting_endpoint`;
  return sql`(select account_no, livemode, id as endpoint_id from webhook_endpoint where ${isReachable()})`;
}
