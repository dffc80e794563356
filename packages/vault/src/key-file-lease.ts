/**
 * Who may change the key file: one process at a time, wherever it runs, by a row in the database that all of them
 * share. A process that dies holding it is waited for, half a minute at most. Without this, two that add a key at once
 * would lose one of them.
 */
import { randomUUID } from "node:crypto";
import type { VaultDatabase } from "./vault-database.ts";

export interface KeyFileLease {
  /**
   * Makes sure that the lease is still ours, for another half minute. Call right before the file is replaced.
   * @throws Error
   */
  renew(): Promise<void>;
}

/** Runs a change under the lease; null, and nothing is run, when another process has it. */
export async function withKeyFileLease<T>(
  db: VaultDatabase,
  change: (lease: KeyFileLease) => Promise<T>,
): Promise<{ result: T } | null> {
  const holder = randomUUID();
  const { rows } = await db.query(
    `insert into vault.key_file_lease (holder, held_until) values ($1, now() + interval '30 seconds')
     on conflict (only_row) do update set holder = excluded.holder, held_until = excluded.held_until
      where vault.key_file_lease.held_until < now()
     returning 1`,
    [holder],
  );
  if (rows.length === 0) return null;
  try {
    return { result: await change({ renew }) };
  } finally {
    await db.query("delete from vault.key_file_lease where holder = $1", [holder]);
  }

  async function renew(): Promise<void> {
    const renewed = await db.query(
      `update vault.key_file_lease set held_until = now() + interval '30 seconds' where holder = $1 returning 1`,
      [holder],
    );
    if (renewed.rows.length === 0)
      throw new Error("The lease on the key file was lost. Nothing was changed; start again.");
  }
}
