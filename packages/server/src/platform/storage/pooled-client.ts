/**
 * A connection in a pool, which closes when nobody should use it again. The pool then opens another one.
 *
 * - If a response is late, the server is still running the statement, so the next one would wait for it.
 * - If a newer primary is known, the next statement isn't sent, unless it belongs to a transaction.
 */
import { PrimaryClient } from "./primary-client.ts";

class Pooled extends PrimaryClient {
  /** The original has an overload for each way to call it; `never` is compatible with all of them. */
  override query(...args: never[]): never {
    if (this.isOutdated && this.getTransactionStatus() === "I") void this.end(); // then the statement fails
    const result: unknown = Reflect.apply(super.query, this, args);
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === "Query read timeout") void this.end();
      });
    return result as never;
  }
}

/** With the types of the original. */
export const PooledClient: typeof PrimaryClient = Pooled;
