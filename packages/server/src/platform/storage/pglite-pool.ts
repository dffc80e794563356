/**
 * A replacement for `pg.Pool` over one PGlite: the same SQL and the same JavaScript values as `pg`, one client at a
 * time. It lets the service use the same Kysely dialect for the embedded database and for PostgreSQL.
 *
 * PGlite has one connection, so clients queue for it, and a transaction keeps it until it is released. PGlite's own
 * `node-postgres` adapter isn't used because after a failed query it returns the results of other queries.
 */
import { createRequire } from "node:module";
import { PGlite, type ParserOptions, type Results } from "@electric-sql/pglite";
import { valueParser } from "./values.ts";

/**
 * The column types that we convert: bool, bytea, int8/2/4, text, json(b), floats, date and time types, numeric, uuid, and
 * arrays of them.
 */
const oids = [
  16, 17, 20, 21, 23, 25, 26, 114, 700, 701, 1000, 1005, 1007, 1009, 1015, 1016, 1082, 1114, 1115, 1182, 1184, 1185,
  1186, 1231, 1700, 199, 2950, 2951, 3802, 3807,
];
const parsers: ParserOptions = Object.fromEntries(oids.map((oid) => [oid, valueParser(oid)]));

/** Converts a JavaScript value to a parameter exactly as `pg` does. It isn't part of the public types. */
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils.js") as { prepareValue(value: unknown): unknown };

interface QueryResult {
  rows: Record<string, unknown>[];
  command: string;
  rowCount: number;
}

export class PglitePool {
  readonly pglite: PGlite;
  #lastTurn: Promise<void> = Promise.resolve();

  /**
   * @param directory where the data is; in memory if absent
   * @param image the initial contents, as dumped by PGlite. If absent, existing data is used, or a new database is
   *   created, which takes seconds.
   */
  constructor(directory = "memory://", image?: Blob) {
    this.pglite = new PGlite(directory, image && { loadDataDir: image });
  }

  async connect(): Promise<{ query(sql: string, values?: readonly unknown[]): Promise<QueryResult>; release(): void }> {
    const before = this.#lastTurn;
    let release!: () => void;
    this.#lastTurn = new Promise((resolve) => (release = resolve));
    await before;
    await this.pglite.waitReady;
    return { query: (sql, values) => this.#run(sql, values), release };
  }

  async query(sql: string, values?: readonly unknown[]): Promise<QueryResult> {
    const client = await this.connect();
    try {
      return await client.query(sql, values);
    } finally {
      client.release();
    }
  }

  /** Waits for its own turn, because `listen` within another client's transaction would be rolled back with it. */
  async listen(channel: string, onNotification: () => void): Promise<() => Promise<void>> {
    const client = await this.connect();
    try {
      return await this.pglite.listen(channel, onNotification);
    } finally {
      client.release();
    }
  }

  async #run(sql: string, values?: readonly unknown[]): Promise<QueryResult> {
    if (values?.length) return toQueryResult([await this.pglite.query(sql, values.map(prepareValue), { parsers })]);
    // Like `pg` without values, exec accepts several statements.
    return toQueryResult(await this.pglite.exec(sql, { parsers }));
  }

  /** `pg.Pool` reports errors of idle clients here. PGlite has none. */
  on(): this {
    return this;
  }

  async end(): Promise<void> {
    await this.pglite.close();
  }
}

/** Returns the rows of all statements, because the one with RETURNING may not be the last. */
function toQueryResult(results: Results<unknown>[]): QueryResult {
  const last = results.at(-1);
  return {
    rows: results.flatMap((result) => result.rows) as Record<string, unknown>[],
    command: last?.command ?? "",
    rowCount: last?.rowCount ?? 0,
  };
}
