/**
 * What surrounds a transaction's end: what is written last in it, and who hears that it has committed.
 *
 * Last ({@link beforeCommit}) comes what takes a lock that all such transactions share, as the head of the audit log's
 * chain: whoever holds it asks for no other lock afterwards, so nobody can wait for it in a circle, and it is held no
 * longer than the commit takes.
 *
 * Whoever listens (`listen.ts`) is told ({@link announce}) not by `pg_notify` within the transaction: PostgreSQL holds
 * one lock of the whole server from there until the commit is on disk, so that all such transactions commit one after
 * another. Here it is said afterwards, in a statement of its own, and once for all that have committed meanwhile. A
 * process that dies in between has told nobody; who listens looks for itself from time to time as well.
 */
import { Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "./tables.ts";

interface End {
  lastSteps: (() => Promise<void>)[];
  channels: Set<string>;
}

const ends = new WeakMap<Transaction<Tables>, End>();

/**
 * Does it in the transaction, after everything else of it, in the order in which it was asked for. What fails there
 * fails the transaction.
 */
export function beforeCommit(tx: Transaction<Tables>, step: () => Promise<void>): void {
  endOf(tx).lastSteps.push(step);
}

/** Says so on the channel once the transaction has committed; not at all if it does not. */
export function announce(tx: Transaction<Tables>, channel: string): void {
  endOf(tx).channels.add(channel);
}

function endOf(tx: Transaction<Tables>): End {
  const end = ends.get(tx);
  if (end === undefined) throw new Error("Bug: this transaction was not begun by the database that has to end it");
  return end;
}

/** Kysely, whose transactions end as they were told to. */
export class AnnouncingKysely extends Kysely<Tables> {
  /** Channel -> whether it is to be told once more when it has been told. */
  readonly #telling = new Map<string, boolean>();

  override transaction(): ReturnType<Kysely<Tables>["transaction"]> {
    const builder = super.transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = async (work) => {
      const end: End = { lastSteps: [], channels: new Set() };
      const result = await execute(async (tx) => {
        ends.set(tx, end);
        const done = await work(tx);
        for (const step of end.lastSteps) await step();
        return done;
      });
      for (const channel of end.channels) void this.#tell(channel);
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
