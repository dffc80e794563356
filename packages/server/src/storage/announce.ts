/**
 * Tells whoever listens (`listen.ts`) that a transaction has committed something for them.
 *
 * Not by `pg_notify` within the transaction: PostgreSQL holds one lock of the whole server from there until the commit is on disk, so that all such
 * transactions commit one after another. Here it is said afterwards, in a statement of its own, and once for all that have committed meanwhile. A
 * process that dies in between has told nobody; who listens looks for itself from time to time as well.
 */
import { Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "./tables.ts";

const announced = new WeakMap<Transaction<Tables>, Set<string>>();

/** Says so on the channel once the transaction has committed; not at all if it does not. */
export function announce(tx: Transaction<Tables>, channel: string): void {
  const channels = announced.get(tx);
  if (channels === undefined) throw new Error("Bug: this transaction was not begun by the database it is announced by");
  channels.add(channel);
}

/** Kysely, whose transactions announce what they were told to. */
export class AnnouncingKysely extends Kysely<Tables> {
  /** Channel -> whether it is to be told once more when it has been told. */
  readonly #telling = new Map<string, boolean>();

  override transaction(): ReturnType<Kysely<Tables>["transaction"]> {
    const builder = super.transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = async (work) => {
      const channels = new Set<string>();
      const result = await execute((tx) => {
        announced.set(tx, channels);
        return work(tx);
      });
      for (const channel of channels) void this.#tell(channel);
      return result;
    };
    return builder;
  }

  async #tell(channel: string): Promise<void> {
    const isTold = this.#telling.has(channel);
    this.#telling.set(channel, isTold);
    if (isTold) return;
    do {
      this.#telling.set(channel, false);
      await sql`select pg_notify(${channel}, '')`.execute(this).catch(() => {}); // the database is away: they will look
    } while (this.#telling.get(channel) === true);
    this.#telling.delete(channel);
  }
}
