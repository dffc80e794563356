/**
 * A `pg.Pool` look-alike over one PGlite: the same SQL, the same JavaScript values as `pg`, one client at a time. It
 * lets the service speak to the embedded database and to a PostgreSQL server through the same Kysely dialect.
 *
 * PGlite has one connection, so clients queue; a transaction holds the connection until it is released. Why not
 * PGlite's own `node-postgres` adapter: after a failed query it hands later queries other queries' results.
 */
import { createRequire } from "node:module";
import { PGlite, type ParserOptions, type Results } from "@electric-sql/pglite";
import { valueParser } from "./values.ts";

/**
 * The types whose JavaScript values we rely on: bool, bytea, int8/2/4, text, json(b), floats, date and time types,
 * numeric, uuid, and arrays of them.
 */
const oids = [
  16, 17, 20, 21, 23, 25, 26, 114, 700, 701, 1000, 1005, 1007, 1009, 1015, 1016, 1082, 1114, 1115, 1182, 1184, 1185,
  1186, 1231, 1700, 199, 2950, 2951, 3802, 3807,
];
const parsers: ParserOptions = Object.fromEntries(oids.map((oid) => [oid, valueParser(oid)]));

/**
 * How `pg` turns a JavaScript value into a parameter. Not in its public types, and the only way to be exactly like it.
 */
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
   * @param directory where the data lives; absent: in memory
   * @param image what stands in there to begin with, as PGlite dumps it; absent: what is there, or a new database,
   *   which takes seconds to make
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

  /** In a turn of its own: what is said within somebody's transaction would be undone with it. */
  async listen(channel: string, heard: () => void): Promise<() => Promise<void>> {
    const client = await this.connect();
    try {
      return await this.pglite.listen(channel, heard);
    } finally {
      client.release();
    }
  }

  async #run(sql: string, values?: readonly unknown[]): Promise<QueryResult> {
    if (values?.length) return toQueryResult([await this.pglite.query(sql, values.map(prepareValue), { parsers })]);
    return toQueryResult(await this.pglite.exec(sql, { parsers })); // exec takes several statements at once, as `pg` does without values
  }

  /** `pg.Pool` tells of idle clients' errors here; PGlite has none. */
  on(): this {
    return this;
  }

  async end(): Promise<void> {
    await this.pglite.close();
  }
}

/** Several statements at once answer with the rows of all: the one with RETURNING may not be the last. */
function toQueryResult(results: Results<unknown>[]): QueryResult {
  const last = results.at(-1);
  return {
    rows: results.flatMap((result) => result.rows) as Record<string, unknown>[],
    command: last?.command ?? "",
    rowCount: last?.rowCount ?? 0,
  };
}
