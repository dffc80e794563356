/**
 * Opens the database: one Kysely over PostgreSQL (`DATABASE_URL`) or over an embedded PGlite (a locked directory). Both
 * use the same SQL and return the same values, so code outside this folder doesn't need to know which one it uses.
 */
import { statfsSync } from "node:fs";
import { PostgresDialect, PostgresDriver, type Kysely, type PostgresDialectConfig, type Transaction } from "kysely";
import pg from "pg";
import { OperatorError } from "@oriel/commands/operator-error";
import { messageOf } from "../message-of.ts";
import { AnnouncingKysely } from "./commit-hooks.ts";
import { lockDirectory } from "./directory-lock.ts";
import { readEngine, type Engine } from "./engine.ts";
import { PglitePool } from "./pglite-pool.ts";
import { PooledClient } from "./pooled-client.ts";
import { PreparingClient } from "./preparing-client.ts";
import { PrimaryClient, watchForPromotion } from "./primary-client.ts";
import type { Tables } from "./tables.ts";
import { valueParser } from "./values.ts";

const oldestVersion = 15;
/** PostgreSQL's write-ahead log grows by this much. */
const smallestDiskBytes = 16 * 1024 * 1024;

/** Notices within twenty seconds that a server has disappeared. Linux would first wait for two hours. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export type DatabaseChoice =
  /**
   * `vaultUrl`: the same database with the vault's role, or the vault's own database. If absent, the vault shares the
   * service's role. `prepares`: whether to use prepared statements, true by default.
   */
  | { kind: "postgres"; url: string; vaultUrl?: string; prepares?: boolean }
  /** `directory`: if absent, the data is in memory, for tests. `image`: see {@link PglitePool}. */
  | { kind: "pglite"; directory?: string; image?: Blob };

export interface Database {
  db: Db;
  choice: DatabaseChoice;
  engine: Engine;
  /** For code with its own SQL. */
  pool: pg.Pool | PglitePool;
  /** The vault's pool. The same as `pool` if the vault has no role of its own. */
  vaultPool: pg.Pool | PglitePool;
  /**
   * The vault's own database, for its migrations and copies. Null if the vault's tables are in the same database as the
   * service's.
   */
  vaultDb: Db | null;
  close(): Promise<void>;
}

/**
 * @throws OperatorError if PostgreSQL refuses the connection or is too old, or another process has the PGlite directory
 *   open
 */
export async function openDatabase(choice: DatabaseChoice): Promise<Database> {
  const { engine, identity, vaultIdentity } =
    choice.kind === "postgres" ? await checkConnections(choice) : { engine: "pglite" as const };
  const lock =
    choice.kind === "pglite" && choice.directory !== undefined ? await lockDirectory(choice.directory) : null;
  const pool = choice.kind === "pglite" ? new PglitePool(choice.directory, choice.image) : openPostgresPool(choice);
  if (pool instanceof PglitePool) {
    await pool.pglite.waitReady.catch(async (error: unknown) => {
      await lock?.release();
      throw asDamaged(error, choice);
    });
  }
  const vaultPool =
    choice.kind === "postgres" && choice.vaultUrl !== undefined
      ? openPostgresPool({ ...choice, url: choice.vaultUrl })
      : pool;
  const urls = choice.kind === "postgres" ? [choice.url, choice.vaultUrl ?? choice.url] : [];
  const stopsWatching = [...new Set(urls)].map(watchForPromotion);
  // PglitePool implements the members of pg.Pool that the dialect uses.
  const db = new AnnouncingKysely({ dialect: new CarefulDialect({ pool: pool as pg.Pool }) });
  return {
    db,
    choice,
    engine,
    pool,
    vaultPool,
    vaultDb:
      vaultIdentity === identity
        ? null
        : new AnnouncingKysely({ dialect: new CarefulDialect({ pool: vaultPool as pg.Pool }) }),
    async close() {
      for (const stop of stopsWatching) stop();
      if (vaultPool !== pool) await vaultPool.end();
      await db.destroy(); // closes the pool, unless `db` was never used
      if (pool instanceof pg.Pool && !pool.ended) await pool.end();
      await lock?.release();
    },
  };
}

/** PGlite doesn't say what is wrong with its directory. */
function asDamaged(error: unknown, choice: DatabaseChoice): unknown {
  if (choice.kind !== "pglite" || choice.directory === undefined) return error;
  const { directory } = choice;
  const { bavail, bsize } = statfsSync(directory);
  const reason = messageOf(error).split("\n", 1)[0];
  return new OperatorError(
    bavail * bsize < smallestDiskBytes
      ? `The disk of the embedded database in ${directory} is full. Free some space, or set ORIEL_DATA_DIR to a directory on another disk.`
      : `The embedded database in ${directory} can't be opened (${reason}). It's damaged, or another version of PostgreSQL wrote it. Move the directory away, and then restore a backup with \`oriel-server restore\` or start with an empty database.`,
    { cause: error },
  );
}

/**
 * If `begin` fails, Kysely returns the connection to the pool unchanged. But if only the response was late, the
 * transaction has started, and the next user of the connection would write into a transaction that nobody commits. So
 * roll back first. If that fails too, the connection is discarded.
 */
class CarefulDriver extends PostgresDriver {
  override async beginTransaction(...args: Parameters<PostgresDriver["beginTransaction"]>): Promise<void> {
    // The driver only passes its own connections. The declared type is wider.
    const connection = args[0] as Parameters<PostgresDriver["rollbackTransaction"]>[0];
    try {
      await super.beginTransaction(...args);
    } catch (error) {
      await super.rollbackTransaction(connection).catch(() => {});
      throw error;
    }
  }
}

class CarefulDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): CarefulDriver {
    return new CarefulDriver(this.#config);
  }
}

/** @returns the engine of the service's database, and the identities of the service's and the vault's databases */
async function checkConnections({ url, vaultUrl }: { url: string; vaultUrl?: string }): Promise<Checked> {
  const service = await checkConnection(url, "DATABASE_URL");
  const vault = vaultUrl === undefined ? service : await checkConnection(vaultUrl, "VAULT_DATABASE_URL");
  return { ...service, vaultIdentity: vault.identity };
}

interface Connection {
  engine: Engine;
  /** The same for two URLs only if they lead to the same database, by whatever role, host name or pooler. */
  identity: string;
}

type Checked = Connection & { vaultIdentity: string };

/** Opens a first connection, to report a wrong URL, a wrong password or an old server in a clear message. */
async function checkConnection(url: string, variable: string): Promise<Connection> {
  let [version, identity] = ["", ""];
  let engine: Engine = "postgres";
  const client = new PrimaryClient({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {}); // a later loss shows in the next query
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string; identity: string }>(
      `select current_setting('server_version') as version, extract(epoch from pg_postmaster_start_time()) || ' ' || oid as identity
         from pg_database where datname = current_database()`,
    );
    ({ version, identity } = rows[0] ?? { version, identity });
    engine = await readEngine(client);
  } catch (error) {
    // The URL contains a password, so the error only names the hosts and the database.
    const { hosts, database } = client;
    const reason = messageOf(error) || "no response";
    throw new OperatorError(
      `Could not connect to the PostgreSQL database ${String(database)} at ${hosts}: ${reason}. Check ${variable}.`,
      {
        cause: error,
      },
    );
  } finally {
    await client.end().catch(() => {}); // never connected, or already closed
  }
  if (Number.parseInt(version, 10) >= oldestVersion) return { engine, identity };
  throw new OperatorError(
    `The database in ${variable} runs on PostgreSQL ${version}, which is too old. Use PostgreSQL ${oldestVersion} or later.`,
  );
}

interface PoolOptions {
  url: string;
  prepares?: boolean;
  max?: number;
}

function openPostgresPool({ url, prepares = true, max = 20 }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    Client: prepares ? PreparingClient : PooledClient,
    max,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 20_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000, // releases the locks of a client that disappeared
    query_timeout: 30_000, // in case the server disappears and can't apply its own timeouts
    ...keepAlive,
    types: { getTypeParser: valueParser as typeof pg.types.getTypeParser },
  });
  return surviveLosses(pool);
}

/** A pool with one connection, for checks that must work while all of the service's connections are in use. */
export function openForChecks(url: string): Db {
  return new AnnouncingKysely({
    dialect: new CarefulDialect({ pool: openPostgresPool({ url, prepares: false, max: 1 }) }),
  });
}

/** For work that takes longer than a request may. */
export function openWithoutTimeLimits(connectionString: string): Db {
  const pool = surviveLosses(new pg.Pool({ connectionString, Client: PrimaryClient, max: 2, ...keepAlive }));
  return new AnnouncingKysely({ dialect: new PostgresDialect({ pool }) });
}

/**
 * A lost connection emits an error, on the pool if it is idle and on the client if it is in use. Without listeners, a
 * restart of PostgreSQL would crash this process. With them, the query fails and the next one reconnects. A connection
 * to a server that refused a write is closed once its work is done. Otherwise, the pool would keep using it.
 */
function surviveLosses(pool: pg.Pool): pg.Pool {
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("release", (_error, client) => {
    if (client instanceof PrimaryClient && client.wasReadOnly) void client.end(); // then the pool discards it
  });
  return pool;
}
