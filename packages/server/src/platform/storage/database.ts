/**
 * The database seam: one Kysely over PostgreSQL (`DATABASE_URL`) or over an embedded PGlite (a directory, locked). The
 * same SQL and the same values on both; nothing above this folder knows which one it is.
 */
import { PostgresDialect, PostgresDriver, type Kysely, type PostgresDialectConfig, type Transaction } from "kysely";
import pg from "pg";
import { OperatorError } from "../operator-error.ts";
import { AnnouncingKysely } from "./announce.ts";
import { lockDirectory } from "./directory-lock.ts";
import { PreparingClient } from "./preparing-client.ts";
import { PglitePool } from "./pglite-pool.ts";
import type { Tables } from "./tables.ts";
import { valueParser } from "./values.ts";

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export type DatabaseChoice =
  /**
   * `vaultUrl`: the same database, for the vault's own role. Absent: the vault shares the service's. `prepares`: unless
   * told otherwise.
   */
  | { kind: "postgres"; url: string; vaultUrl?: string; prepares?: boolean }
  /** `directory` absent: in memory, for tests; `image`: see PglitePool. */
  | { kind: "pglite"; directory?: string; image?: Blob };

export interface Database {
  db: Db;
  choice: DatabaseChoice;
  /** For those who bring their own SQL, as the job queue does. */
  pool: pg.Pool | PglitePool;
  /** The vault's; the same pool where the vault has no role of its own. */
  vaultPool: pg.Pool | PglitePool;
  close(): Promise<void>;
}

/** @throws OperatorError when PostgreSQL does not let us in, or another process has the PGlite directory open. */
export async function openDatabase(choice: DatabaseChoice): Promise<Database> {
  if (choice.kind === "postgres") await knock(choice.url, "DATABASE_URL");
  if (choice.kind === "postgres" && choice.vaultUrl !== undefined) await knock(choice.vaultUrl, "VAULT_DATABASE_URL");
  const lock =
    choice.kind === "pglite" && choice.directory !== undefined ? await lockDirectory(choice.directory) : null;
  const pool = choice.kind === "pglite" ? new PglitePool(choice.directory, choice.image) : openPostgresPool(choice);
  const vaultPool =
    choice.kind === "postgres" && choice.vaultUrl !== undefined
      ? openPostgresPool({ ...choice, url: choice.vaultUrl })
      : pool;
  // PglitePool has the members of pg.Pool that the dialect uses; the rest of pg.Pool's type is out of its reach.
  const db = new AnnouncingKysely({ dialect: new CarefulDialect({ pool: pool as pg.Pool }) });
  return {
    db,
    choice,
    pool,
    vaultPool,
    async close() {
      if (vaultPool !== pool) await vaultPool.end();
      await db.destroy(); // ends the pool, unless nothing has been asked through `db`
      if (pool instanceof pg.Pool && !pool.ended) await pool.end();
      await lock?.release();
    },
  };
}

/**
 * Kysely gives a connection back as it is when `begin` itself fails. A `begin` whose answer was late has begun all the
 * same, and whoever got the connection next would write into a transaction that nobody commits. So it is rolled back
 * first; a connection that cannot be is thrown away.
 */
class CarefulDriver extends PostgresDriver {
  override async beginTransaction(...args: Parameters<PostgresDriver["beginTransaction"]>): Promise<void> {
    // The connections of this driver are all its own kind; only its types make a difference.
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

/** A first connection, so that a wrong address or password is told in a sentence. */
async function knock(url: string, variable: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {}); // lost after it was let in: whoever asks next is told
  try {
    await client.connect();
  } catch (error) {
    // The address holds a password: what is told of it is the host and the database.
    const { host, database } = client;
    const reason = error instanceof Error && error.message !== "" ? error.message : "no answer";
    throw new OperatorError(
      `PostgreSQL at ${host} does not let us into the database ${String(database)}: ${reason}. Check ${variable}.`,
      {
        cause: error,
      },
    );
  } finally {
    await client.end().catch(() => {}); // never connected, or gone already
  }
}

function openPostgresPool({ url, prepares = true }: { url: string; prepares?: boolean }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    ...(prepares && { Client: PreparingClient }),
    max: 20,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 20_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000, // a machine that vanished must not keep its locks
    query_timeout: 30_000, // for a server that vanished and cannot keep its own time-outs
    keepAlive: true,
    types: { getTypeParser: valueParser as typeof pg.types.getTypeParser },
  });
  return surviveLosses(pool);
}

/**
 * A connection that is lost emits an error: on the pool while it is idle, on the client while somebody uses it. Without
 * listeners a restart of PostgreSQL would end this process with a trace; with them the query fails and the next one
 * connects again.
 */
export function surviveLosses(pool: pg.Pool): pg.Pool {
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
