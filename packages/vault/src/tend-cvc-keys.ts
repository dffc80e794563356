/**
 * The keys of the codes grow old on purpose: a code lives fifteen minutes, so soon after its key was followed by another one nothing is sealed
 * under it, and it is destroyed. What pages and backups of the database still hold of deleted codes can then be read by nobody.
 */
import type { VaultDatabase } from "./card-store.ts";
import { currentKey, type Keyring } from "./keyring.ts";
import { retireEmptyKeys } from "./key-register.ts";
import { addKeys, dropRetiredKeys } from "./rotate-keys.ts";
import type { VaultAudit } from "./vault-audit.ts";

/**
 * Part of the sweep; whichever process comes first does it.
 *
 * @param lifetimeMs after which the current key is followed by a new one; null: only {@link addKeys} by hand does that
 * @throws KeyFileError when the file cannot be replaced, or another process is changing it
 */
export async function tendCvcKeys(
  db: VaultDatabase,
  keyring: Keyring,
  now: Date,
  lifetimeMs: number | null,
  audit: VaultAudit,
): Promise<void> {
  const keys = keyring.reread();
  if (lifetimeMs !== null) {
    const { rows } = await db.query("select 1 from vault.key where id = $1 and registered_at <= $2", [
      currentKey(keys, "cvc").id,
      new Date(now.getTime() - lifetimeMs),
    ]);
    if (rows.length === 1) await addKeys(db, keyring, ["cvc"], keys, now, audit);
  }
  await retireEmptyKeys(db, "cvc", now, audit);
  await dropRetiredKeys(db, keyring);
}
