/**
 * A connection in a pool, which closes if a response is late. The server is still running the statement, so the next one
 * would wait for it. The pool then opens another connection.
 */
import { PrimaryClient } from "./primary-client.ts";

class Pooled extends PrimaryClient {
  /** The original has an overload for each way to call it; `never` is compatible with all of them. */
  override query(...args: never[]): never {
    const result: unknown = Reflect.apply(super.query, this, args);
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === "Query read timeout") void this.end();
      });
    return result as never;
  }
}

/** Typed as `PrimaryClient`, because the override hides the overloads of `query`. */
export const PooledClient: typeof PrimaryClient = Pooled;
