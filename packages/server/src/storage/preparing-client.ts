/**
 * A connection that has PostgreSQL prepare the statements that come again and again: it reads and plans each a few times instead of every time, which
 * is a third of its work for a charge. A prepared statement belongs to its connection (PostgreSQL: Extended Query).
 *
 * A migration by a newer process may change what `select *` gives. PostgreSQL then refuses what it had prepared; this connection prepares everything
 * anew, and asks again where no transaction was lost by it. A transaction that was is a failure of the database like any other.
 */
import pg from "pg";
import { isOutdatedPlan } from "./is-database-failure.ts";

/** Each takes some 20 kB of PostgreSQL's memory for each connection. We have about 250. */
const maxPrepared = 500;

/** How they are called, by their text; the same on all connections of this process. */
const names = new Map<string, string>();
/** What was asked once. Most of what is put together anew for each question never comes back. */
const askedOnce = new Set<string>();

export class PreparingClient extends pg.Client {
  #generation = 0;

  /** As the original, whose type has one signature for each way to ask: `never` fits them all. Only the way that Kysely asks is changed. */
  override query(...args: never[]): never {
    const [text, values] = args as unknown[];
    const hasValues = typeof text === "string" && Array.isArray(values) && values.length > 0 && args.length === 2;
    const name = hasValues ? nameOf(text) : null;
    if (!hasValues || name === null) return Reflect.apply(super.query, this, args) as never;
    return this.#ask(text, values, name) as never;
  }

  async #ask(text: string, values: unknown[], name: string): Promise<pg.QueryResult> {
    const generation = this.#generation;
    const ask = () => super.query({ text, values, name: `${name}_${this.#generation}` });
    try {
      return await ask();
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error;
      if (this.#generation === generation) this.#generation += 1;
      if (this.getTransactionStatus() === "I") return await ask();
      throw error;
    }
  }
}

/** Null: not worth preparing. */
function nameOf(text: string): string | null {
  const name = names.get(text);
  if (name !== undefined) return name;
  if (names.size >= maxPrepared) return null;
  if (!askedOnce.delete(text)) {
    if (askedOnce.size >= maxPrepared) askedOnce.clear();
    askedOnce.add(text);
    return null;
  }
  const given = `oriel_${names.size + 1}`;
  names.set(text, given);
  return given;
}
