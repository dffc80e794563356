/**
 * A connection that has PostgreSQL prepare the statements that come again and again: it reads and plans each a few
 * times instead of every time. Only Kysely's are; the vault and the queue ask `pg` themselves.
 *
 * A statement is called by a digest of its text, the same in every process. So whoever hands connections around without
 * knowing what was prepared on them (an old pooler) can make a statement fail, but never run another in its place.
 *
 * What PostgreSQL refuses to run as prepared is not prepared any more by this process: its result has other columns
 * since a newer process's migration, or the connection is not the one that it was prepared on. It is asked again at
 * once where no transaction was lost by it; a transaction that was is a failure of the database like any other.
 */
import { createHash } from "node:crypto";
import pg from "pg";
import { isRefusedAsPrepared } from "./is-database-failure.ts";

/** Each takes memory of PostgreSQL for each connection. */
const maxPrepared = 500;

/** How they are called, by their text; null for what is not to be prepared any more. */
const names = new Map<string, string | null>();
/** What was asked once. Most of what is put together anew for each question never comes back. */
const askedOnce = new Set<string>();

export class PreparingClient extends pg.Client {
  /**
   * As the original, whose type has one signature for each way to ask: `never` fits them all. Only the way that Kysely
   * asks is changed.
   */
  override query(...args: never[]): never {
    const [text, values] = args as unknown[];
    const hasValues = typeof text === "string" && Array.isArray(values) && values.length > 0 && args.length === 2;
    const name = hasValues && !isPlannedForItsValues(text) ? nameOf(text) : null;
    if (!hasValues || name === null) return Reflect.apply(super.query, this, args) as never;
    return this.#ask(text, values, name) as never;
  }

  async #ask(text: string, values: unknown[], name: string): Promise<pg.QueryResult> {
    try {
      return await super.query({ text, values, name });
    } catch (error) {
      if (!isRefusedAsPrepared(error)) throw error;
      names.set(text, null);
      // The status may still be that of before the statement, which tells as well whether it stood in a transaction:
      // whoever begins one waits for that.
      if (this.getTransactionStatus() === "I") return await super.query(text, values);
      throw error;
    }
  }
}

/**
 * What takes a few of many rows. Which index is right for that depends on how many there are, of this account or in
 * this status; a plan for any values would have a small merchant's list look through a large one's rows.
 */
export function isPlannedForItsValues(text: string): boolean {
  return /\blimit\b/.test(text);
}

/** Null: not worth preparing, or not to be. */
function nameOf(text: string): string | null {
  const name = names.get(text);
  if (name !== undefined) return name;
  if (names.size >= maxPrepared) return null;
  if (!askedOnce.delete(text)) {
    if (askedOnce.size >= maxPrepared) askedOnce.clear();
    askedOnce.add(text);
    return null;
  }
  const given = `oriel_${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
  names.set(text, given);
  return given;
}
