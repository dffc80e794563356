/**
 * A lease on the right to change the key file, held by one process at a time and stored in the database that all of
 * them share. It expires half a minute after its holder dies. Without it, two processes that add a key at the same time
 * would lose one.
 */
import { randomUUID } from "node:crypto";
import type { VaultDatabase } from "../vault-database.ts";

export interface KeyFileLease {
  /**
   * Extends the lease by half a minute. Call this right before the file is replaced.
   *
   * @throws Error if the lease was lost
   */
  renew(): Promise<void>;
}

/** Runs a change under the lease. Returns null without running it if another process has the lease. */
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
      throw new Error("Another process is now changing the key file, so this process changed nothing. Try again.");
  }
}
