/**
 * Steps around the end of a transaction: the last writes before the commit, and notifications after it.
 *
 * {@link beforeCommit} is for writes that take a lock shared by all such transactions, such as the head of the audit
 * log. Nothing takes another lock after it, so this lock can't cause a deadlock, and it is held only until the commit
 * finishes.
 *
 * {@link announce} notifies listeners (`listen.ts`) after the commit, not with `pg_notify` in the transaction.
 * PostgreSQL would hold a server-wide lock from then until the commit is on disk, so all such transactions would commit
 * one after another. One statement notifies for all transactions that have committed in the meantime. If the process
 * dies before it, the notification is lost, so listeners also poll.
 */
import { Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "./tables.ts";

interface End {
  lastSteps: (() => Promise<void>)[];
  channels: Set<string>;
}

const ends = new WeakMap<Transaction<Tables>, End>();

/**
 * Runs the step at the end of the transaction, after any steps registered before it. If it fails, the transaction
 * fails.
 */
export function beforeCommit(tx: Transaction<Tables>, step: () => Promise<void>): void {
  endOf(tx).lastSteps.push(step);
}

/** Notifies the channel if and when the transaction commits. */
export function announce(tx: Transaction<Tables>, channel: string): void {
  endOf(tx).channels.add(channel);
}

/** Notifies the channel after a statement that was its own transaction. In a transaction, like {@link announce}. */
export function announceFrom(db: Kysely<Tables>, channel: string): void {
  if (db.isTransaction) announce(db as Transaction<Tables>, channel);
  else if (db instanceof AnnouncingKysely) db.notify(channel);
  else throw new Error("Bug: this database was not opened with AnnouncingKysely");
}

function endOf(tx: Transaction<Tables>): End {
  const end = ends.get(tx);
  if (end === undefined) throw new Error("Bug: this transaction was not started with AnnouncingKysely");
  return end;
}

/** Kysely with transactions that support {@link beforeCommit} and {@link announce}. */
export class AnnouncingKysely extends Kysely<Tables> {
  /** Channels being notified, and whether each has to be notified once more after that. */
  readonly #notifying = new Map<string, boolean>();

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
      for (const channel of end.channels) this.notify(channel);
      return result;
    };
    return builder;
  }

  /** Notifies the channel in the background. */
  notify(channel: string): void {
    void this.#notify(channel);
  }

  async #notify(channel: string): Promise<void> {
    const isRunning = this.#notifying.has(channel);
    this.#notifying.set(channel, isRunning);
    if (isRunning) return;
    do {
      this.#notifying.set(channel, false);
      await sql`select pg_notify(${channel}, '')`.execute(this).catch(() => {}); // listeners poll as well
    } while (this.#notifying.get(channel) === true);
    this.#notifying.delete(channel);
  }
}
