/** Checks a key file against a copy of the database, in which nothing may change. */
import type { VaultDatabase } from "../vault-database.ts";
import { KeyFileError } from "./key-file.ts";
import { compareKeys } from "./key-register.ts";
import type { Keyring } from "./keyring.ts";

/**
 * Checks that the key file belongs to the database and has the key of every stored card and of all
 * credentials. Unlike `checkKeys`, registers no keys.
 *
 * @throws KeyFileError
 */
export async function checkStoredKeys(db: VaultDatabase, keyring: Keyring): Promise<void> {
  await compareKeys(db, keyring);
  const inFile = keyring.reread().card.map(({ id }) => id);
  const { rows } = await db.query(
    `select key_id, count(*)::integer as count
       from (select key_id from vault.card union all select key_id from vault.credentials) as record
      where key_id <> all($1::text[]) group by key_id`,
    [inFile],
  );
  const [missing] = rows;
  if (missing === undefined) return;
  throw new KeyFileError(
    `The key file ${keyring.name} doesn't have the key ${String(missing["key_id"])}, with which ${String(missing["count"])} stored records are encrypted. Restore the key file from a backup.`,
  );
}
