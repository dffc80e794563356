/**
 * What the database knows of the keys: their names, and a check value of each by which a wrong or substituted key is
 * noticed. No key and nothing that helps to find one: a check value is a MAC under the key, cut to eight bytes.
 *
 * ```
 * (in the key file only) --register--> open --close--> closed --retire--> retired (and taken out of the key file)
 * ```
 * - open: records are sealed under it. The statement that seals asks for the key's row, open and with the right check
 *   value, and holds it `for share`.
 * - closed: waits for those statements; from then on no record comes under it, whatever an old process believes. Its
 *   records are rewrapped, or drain.
 * - retired: it had no record left. Nothing in this database needs it again.
 *
 * Every key that is not retired has to be in the key file: a service with another file is refused before it writes
 * anything.
 */
import { createHmac } from "node:crypto";
import type { VaultDatabase } from "./vault-database.ts";
import { KeyFileError } from "./key-file.ts";
import type { KeyPurpose, Keyring, Keys, SealingPurpose } from "./keyring.ts";
import type { VaultAudit } from "./vault-audit.ts";

/** Shows that two keys are the same without showing either. */
export function checkValue(id: string, secret: Buffer): Buffer {
  return createHmac("sha256", secret).update(`oriel.vault.check.${id}`).digest().subarray(0, 8);
}

/**
 * Compares the file with what the database has seen, then registers what is new. Writes nothing when they do not fit.
 *
 * @throws KeyFileError
 */
export async function checkKeys(db: VaultDatabase, keyring: Keyring, now: Date, audit: VaultAudit): Promise<void> {
  const unknown = await compare(db, keyring);
  if (unknown.length === 0) return;
  try {
    // All or none: of two files that were never seen, one is registered and the other refused.
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
    const stillUnknown = await compare(db, keyring);
    if (stillUnknown.length > 0) throw error;
    return; // another process with the same file was first
  }
  for (const { id, purpose } of unknown) await audit({ what: "key_registered", keyId: id, purpose });
}

/**
 * No record is sealed under any but this key of its purpose from now on. Only for the holder of the lease on the key
 * file.
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

/**
 * Retires the closed keys of a purpose that no record is sealed under; their names. None can come under them any more.
 */
export async function retireEmptyKeys(
  db: VaultDatabase,
  purpose: SealingPurpose,
  now: Date,
  audit: VaultAudit,
): Promise<string[]> {
  const { rows } = await db.query(
    `update vault.key set retired_at = $2
      where purpose = $1 and closed_at is not null and retired_at is null
        and not exists (select 1 from vault.${purpose} where key_id = vault.key.id) returning id`,
    [purpose, now],
  );
  const ids = rows.map(({ id }) => String(id));
  for (const keyId of ids) await audit({ what: "key_retired", keyId, purpose });
  return ids;
}

/** The names of the keys that nothing needs any more. */
export async function retiredKeys(db: VaultDatabase): Promise<Set<string>> {
  const { rows } = await db.query("select id from vault.key where retired_at is not null");
  return new Set(rows.map(({ id }) => String(id)));
}

interface NamedKey {
  id: string;
  purpose: KeyPurpose;
  secret: Buffer;
}

function listKeys({ card, cvc, fingerprint }: Keys): NamedKey[] {
  return [
    ...card.map((key) => ({ ...key, purpose: "card" as const })),
    ...cvc.map((key) => ({ ...key, purpose: "cvc" as const })),
    { id: "fingerprint_test", purpose: "fingerprint", secret: fingerprint.test },
    { id: "fingerprint_live", purpose: "fingerprint", secret: fingerprint.live },
  ];
}

/** A rotation changes file and database one after the other; so many readings of both cannot all fall in between. */
const mostReadings = 5;

/** The keys of the file that the database has not seen. @throws KeyFileError */
async function compare(db: VaultDatabase, keyring: Keyring): Promise<NamedKey[]> {
  let misfit = "";
  for (let reading = 0; reading < mostReadings; reading++) {
    // In this order: a key is in the file before it is in the database.
    const { rows } = await db.query("select id, check_value, retired_at from vault.key");
    const inFile = new Map(listKeys(keyring.reread()).map((key) => [key.id, key]));
    misfit = rows.map((row) => misfitOf(row, inFile.get(String(row["id"])))).find((found) => found !== null) ?? "";
    if (misfit !== "") continue;
    for (const { id } of rows) inFile.delete(String(id));
    return [...inFile.values()];
  }
  throw new KeyFileError(`The key file ${keyring.name} does not belong to this database: ${misfit}. ${remedy}`);
}

/** What is wrong between a key's row and the key of its name in the file; null when they fit. */
function misfitOf(row: Record<string, unknown>, key: NamedKey | undefined): string | null {
  const id = String(row["id"]);
  if (key === undefined) return row["retired_at"] === null ? `its key ${id} is missing` : null;
  const expected = Buffer.from(row["check_value"] as Uint8Array); // the column is bytea
  return expected.equals(checkValue(id, key.secret))
    ? null
    : `its key ${id} is another one than the database was written with`;
}

const remedy =
  "Put the right one back. If it is lost, so are the stored cards: empty the tables of the schema vault to start anew.";
