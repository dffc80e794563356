/** Records every statement that this process passes to `pg`, with its values. */
import pg from "pg";

export interface RecordedStatement {
  text: string;
  values: readonly unknown[];
  /** How many rows it returned or changed. */
  rows: number;
}

/** @returns the statements sent while `work` runs, by any code in this process, in order */
export async function recordStatements(work: () => Promise<unknown>): Promise<RecordedStatement[]> {
  const statements: RecordedStatement[] = [];
  const stop = watchStatements((statement) => void statements.push(statement));
  try {
    await work();
  } finally {
    stop();
  }
  return statements;
}

/**
 * Calls `see` with every statement before it is sent. `rows` is set once it has run.
 *
 * @returns a function that stops this
 */
export function watchStatements(see: (statement: RecordedStatement) => void): () => void {
  const prototype = pg.Client.prototype;
  const { query } = prototype;
  const watching = function (this: pg.Client, ...args: unknown[]): unknown {
    const [first, given] = args as [string | { text: string; values?: unknown[] }, unknown];
    const { text, values = [] } =
      typeof first === "string" ? { text: first, values: Array.isArray(given) ? given : [] } : first;
    const statement: RecordedStatement = { text, values, rows: 0 };
    see(statement);
    const result: unknown = Reflect.apply(query, this, args);
    if (result instanceof Promise)
      result.then(
        ({ rowCount }: pg.QueryResult) => (statement.rows = rowCount ?? 0),
        () => {},
      );
    return result;
  };
  prototype.query = watching as typeof query;
  return () => void (prototype.query = query);
}
