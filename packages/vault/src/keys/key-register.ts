/**
 * The database's register of keys: their names, and check values that reveal a wrong or substituted key. A check value
 * is a MAC under the key, cut to eight bytes, and doesn't help to find the key.
 *
 * ```
 * (only in the key file) --register--> open --close--> closed --retire--> retired (and removed from the key file)
 * ```
 * - open: records are sealed under it. The sealing statement requires the key's row to be open with the right check
 *   value, and locks it `for share`.
 * - closed: closing waits for those statements. After it no new record uses the key, whatever an outdated process
 *   believes. Existing records are rewrapped or expire.
 * - retired: no record uses it, and this database no longer needs it.
 *
 * Every key that isn't retired must be in the key file. A service with another file is refused before it writes
 * anything.
 */
import { createHmac, type KeyObject } from "node:crypto";
import type { VaultAudit } from "../vault-audit.ts";
import type { VaultDatabase } from "../vault-database.ts";
import { KeyFileError } from "./key-file.ts";
import type { KeyPurpose, Keyring, Keys, SealingPurpose } from "./keyring.ts";

/** Identifies a key without revealing it. */
export function checkValue(id: string, secret: KeyObject): Buffer {
  return createHmac("sha256", secret).update(`oriel.vault.check.${id}`).digest().subarray(0, 8);
}

/**
 * Compares the file with the register, then registers new keys. Writes nothing if they don't match.
 *
 * @throws KeyFileError
 */
export async function checkKeys(db: VaultDatabase, keyring: Keyring, now: Date, audit: VaultAudit): Promise<void> {
  const unknown = await compareKeys(db, keyring);
  if (unknown.length === 0) return;
  try {
    // Registers all keys or none, so that only one of two unregistered files is registered and the other is refused.
    await db.query(
      `insert into vault.key (id, purpose, check_value, registered_at)
       select id, purpose, check_value, $4 from unnest($1::text[], $2::text[], $3::bytea[]) as new_key (id, purpose, check_value)`,
      [
        unknown.map(({ id }) => id),
        unknown.map(({ purpose }) => purpose),
        unknown.map(({ id, secret }) => checkValue(id, secret)),
        now,
      ],
    );
  } catch (error) {
    // Another process with the same file may have been first, perhaps before the file contained all of the keys.
    const stillUnknown = new Set((await compareKeys(db, keyring)).map(({ id }) => id));
    if (unknown.every(({ id }) => stillUnknown.has(id))) throw error;
    return await checkKeys(db, keyring, now, audit);
  }
  for (const { id, purpose } of unknown) await audit({ what: "key_registered", keyId: id, purpose });
}

/**
 * Closes all keys of a purpose except this one, so that no new record uses them. The caller must have the lease on the
 * key file.
 */
export async function closeOtherKeys(
  db: VaultDatabase,
  purpose: SealingPurpose,
  keyId: string,
  now: Date,
  audit: VaultAudit,
): Promise<void> {
  const { rows } = await db.query(
    `update vault.key set closed_at = $3 where purpose = $1 and id <> $2 and closed_at is null returning id`,
    [purpose, keyId, now],
  );
  for (const { id } of rows) await audit({ what: "key_closed", keyId: String(id), purpose });
}

/** The tables whose records are sealed under a purpose's keys. */
const tablesUnder = { card: ["card", "credentials"], cvc: ["cvc"] } as const;

/** Retires the closed keys of a purpose that no record uses, and returns their names. No new record can use them. */
export async function retireEmptyKeys(
  db: VaultDatabase,
  purpose: SealingPurpose,
  now: Date,
  audit: VaultAudit,
): Promise<string[]> {
  const isUnused = tablesUnder[purpose].map(
    (table) => `not exists (select 1 from vault.${table} where key_id = vault.key.id)`,
  );
  const { rows } = await db.query(
    `update vault.key set retired_at = $2
      where purpose = $1 and closed_at is not null and retired_at is null
        and ${isUnused.join(" and ")} returning id`,
    [purpose, now],
  );
  const ids = rows.map(({ id }) => String(id));
  for (const keyId of ids) await audit({ what: "key_retired", keyId, purpose });
  return ids;
}

/** Returns the names of the keys that are no longer needed. */
export async function retiredKeys(db: VaultDatabase): Promise<Set<string>> {
  const { rows } = await db.query("select id from vault.key where retired_at is not null");
  return new Set(rows.map(({ id }) => String(id)));
}

interface NamedKey {
  id: string;
  purpose: KeyPurpose;
  secret: KeyObject;
}

function listKeys({ card, cvc, fingerprint }: Keys): NamedKey[] {
  return [
    ...card.map((key) => ({ ...key, purpose: "card" as const })),
    ...cvc.map((key) => ({ ...key, purpose: "cvc" as const })),
    { id: "fingerprint_test", purpose: "fingerprint", secret: fingerprint.test },
    { id: "fingerprint_live", purpose: "fingerprint", secret: fingerprint.live },
  ];
}

/**
 * A rotation changes the file first and then the database. A mismatch that remains after this many reads wasn't caused
 * by a rotation.
 */
const maxReadings = 5;

/** Returns the file's keys that aren't registered. @throws KeyFileError */
export async function compareKeys(db: VaultDatabase, keyring: Keyring): Promise<NamedKey[]> {
  let mismatch = "";
  for (let reading = 0; reading < maxReadings; reading++) {
    // Read the database first, because a key is in the file before it's in the database.
    const { rows } = await db.query("select id, check_value, retired_at from vault.key");
    const inFile = new Map(listKeys(keyring.reread()).map((key) => [key.id, key]));
    mismatch = rows.map((row) => mismatchOf(row, inFile.get(String(row["id"])))).find((found) => found !== null) ?? "";
    if (mismatch !== "") continue;
    for (const { id } of rows) inFile.delete(String(id));
    return [...inFile.values()];
  }
  throw new KeyFileError(`The key file ${keyring.name} does not belong to this database: ${mismatch}. ${remedy}`);
}

/** Describes the mismatch between a key's row and the key of that name in the file. Null if they match. */
function mismatchOf(row: Record<string, unknown>, key: NamedKey | undefined): string | null {
  const id = String(row["id"]);
  if (key === undefined) return row["retired_at"] === null ? `its key ${id} is missing` : null;
  const expected = Buffer.from(row["check_value"] as Uint8Array); // the column is bytea
  return expected.equals(checkValue(id, key.secret)) ? null : `its key ${id} isn't the one used for this database`;
}

const remedy =
  "Restore the right key file. Without it, the stored cards and credentials can't be decrypted. To start over without them, empty the tables in the schema vault.";
