/** Seals new records only under keys that no rotation has closed. */
import type { VaultAudit } from "../vault-audit.ts";
import type { VaultDatabase } from "../vault-database.ts";
import { KeyFileError } from "./key-file.ts";
import { checkKeys } from "./key-register.ts";
import type { Keyring, Keys } from "./keyring.ts";

export interface OpenKeysParts {
  db: VaultDatabase;
  keyring: Keyring;
  now: () => Date;
  audit: VaultAudit;
}

/** A key that was closed since the file was read has a successor in the file. @throws KeyFileError if it hasn't */
export async function withOpenKeys<T extends string>(
  { db, keyring, now, audit }: OpenKeysParts,
  store: (keys: Keys) => Promise<T | "key_closed">,
): Promise<T> {
  for (let round = 1; round <= 3; round++) {
    const stored = await store(keyring.keys(now()));
    if (stored !== "key_closed") return stored;
    await checkKeys(db, keyring, now(), audit); // reads the file again
  }
  throw new KeyFileError(
    `The key file ${keyring.name} is outdated: the database uses newer keys that the file doesn't contain. Give this process the newest key file.`,
  );
}
