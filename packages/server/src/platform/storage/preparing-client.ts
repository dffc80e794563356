/**
 * A connection that prepares repeated statements, so that PostgreSQL parses and plans each a few times instead of every
 * time. Applies only to Kysely's statements; the vault uses `pg` directly.
 *
 * A statement's name is a digest of its text, the same in every process. If an old pooler switches connections without
 * knowing what was prepared on them, a statement can fail, but never run a different one.
 *
 * If PostgreSQL rejects a prepared statement, this process stops preparing it. That happens when a newer process's
 * migration changed the columns of its result, or when the connection isn't the one on which it was prepared. Outside a
 * transaction, the statement is retried at once. A transaction fails as with any other database failure.
 */
import { createHash } from "node:crypto";
import type pg from "pg";
import { isRefusedAsPrepared } from "./is-database-failure.ts";
import { PooledClient } from "./pooled-client.ts";

/** Each prepared statement uses memory in PostgreSQL, per connection. */
const maxPrepared = 500;

/** Names of the statements by text. Null: no longer prepared. */
const names = new Map<string, string | null>();
/** Statements seen once. Most dynamically built statements never repeat. */
const seenOnce = new Set<string>();

export class PreparingClient extends PooledClient {
  /**
   * The original has an overload for each way to call it; `never` is compatible with all of them. Only the calls that
   * Kysely makes behave differently.
   */
  override query(...args: never[]): never {
    const [text, values] = args as unknown[];
    const hasValues = typeof text === "string" && Array.isArray(values) && values.length > 0 && args.length === 2;
    const name = hasValues && !needsCustomPlan(text) ? nameOf(text) : null;
    if (!hasValues || name === null) return Reflect.apply(super.query, this, args) as never;
    return this.#queryPrepared(text, values, name) as never;
  }

  async #queryPrepared(text: string, values: unknown[], name: string): Promise<pg.QueryResult> {
    try {
      return await super.query({ text, values, name });
    } catch (error) {
      if (!isRefusedAsPrepared(error)) throw error;
      names.set(text, null);
      // The status may be from before the statement, but it still shows whether a transaction was open, because its
      // `begin` was awaited.
      if (this.getTransactionStatus() === "I") return await super.query(text, values);
      throw error;
    }
  }
}

/**
 * Whether a statement with `limit` needs a plan for its values. The best index depends on how many rows an account or
 * status has. With a generic plan, a small merchant's list could scan a large merchant's rows.
 */
export function needsCustomPlan(text: string): boolean {
  return /\blimit\b/.test(text);
}

/** The name to prepare the statement under. Null: don't prepare it. */
function nameOf(text: string): string | null {
  const name = names.get(text);
  if (name !== undefined) return name;
  if (names.size >= maxPrepared) return null;
  if (!seenOnce.delete(text)) {
    if (seenOnce.size >= maxPrepared) seenOnce.clear();
    seenOnce.add(text);
    return null;
  }
  const newName = `oriel_${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
  names.set(text, newName);
  return newName;
}
