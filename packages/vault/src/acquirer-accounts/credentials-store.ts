/**
 * Stores the credentials of acquirer accounts, encrypted. Each version is a record of its own and never changes. The
 * credentials are returned only inside this package and never appear in errors or audit entries.
 */
import { checkValue } from "../keys/key-register.ts";
import { currentKey, type Keyring, type Keys } from "../keys/keyring.ts";
import type { Mode } from "../mode.ts";
import { openSealed, readWithKey } from "../sealing/open-sealed.ts";
import { seal, unseal, type Sealed, type SealedFor } from "../sealing/seal.ts";
import type { VaultAudit } from "../vault-audit.ts";
import type { VaultDatabase } from "../vault-database.ts";

/** The acquirer account that the credentials belong to, and which of its credentials they are. */
export interface CredentialsOf {
  acquirerAccountId: string;
  version: string;
  accountNo: number;
  mode: Mode;
}

export interface CredentialsToStore extends CredentialsOf {
  credentials: object;
}

/**
 * What the credentials are bound to. The ID is in audit entries, which account owners can see, so it doesn't contain
 * the account's number.
 */
function credentialsRecord({ acquirerAccountId, version, accountNo, mode }: CredentialsOf): SealedFor {
  return { mode, accountNo, recordId: `${acquirerAccountId} ${version}`, purpose: "credentials" };
}

/**
 * Stores a new version.
 *
 * `key_closed`: the current key of `keys` is closed, not registered, or doesn't match the registered one. Then nothing
 * changes.
 */
export async function storeCredentials(
  db: VaultDatabase,
  keys: Keys,
  { credentials, ...owner }: CredentialsToStore,
  now: Date,
): Promise<"stored" | "key_closed"> {
  const key = currentKey(keys, "card");
  const { wrappedKey, content } = seal(key, credentialsRecord(owner), JSON.stringify(credentials));
  const { rows } = await db.query(
    `with open_key as (
       select id from vault.key where id = $5 and check_value = $6 and closed_at is null for share
     )
     insert into vault.credentials (acquirer_account_id, version, account_no, mode, key_id, wrapped_key, sealed,
       created_at)
     select $1, $2, $3, $4, id, $7, $8, $9 from open_key
     returning 1`,
    [
      owner.acquirerAccountId,
      owner.version,
      owner.accountNo,
      owner.mode,
      key.id,
      checkValue(key.id, key.secret),
      wrappedKey,
      content,
      now,
    ],
  );
  return rows.length === 1 ? "stored" : "key_closed";
}

/**
 * Returns credentials as the JSON value that was stored, or null if there are none.
 *
 * @throws SealBrokenError
 */
export async function openCredentials(
  db: VaultDatabase,
  keyring: Keyring,
  owner: CredentialsOf,
  now: Date,
  audit: VaultAudit,
): Promise<unknown> {
  const found = await readWithKey(
    () => readCredentials(db, owner),
    ({ keyId }) => keyId,
    keyring,
    now,
  );
  if (found === null) return null;
  return JSON.parse(await openSealed(found.stored, found.key, credentialsRecord(owner), unseal, audit));
}

async function readCredentials(db: VaultDatabase, owner: CredentialsOf): Promise<Sealed | null> {
  const { rows } = await db.query(
    "select key_id, wrapped_key, sealed from vault.credentials where acquirer_account_id = $1 and version = $2",
    [owner.acquirerAccountId, owner.version],
  );
  const row = rows[0] as CredentialsRow | undefined; // the columns of the query above
  return row === undefined ? null : { keyId: row.key_id, wrappedKey: row.wrapped_key, content: row.sealed };
}

interface CredentialsRow {
  key_id: string;
  wrapped_key: Uint8Array;
  sealed: Uint8Array;
}

export async function eraseCredentials(
  db: VaultDatabase,
  { acquirerAccountId, version }: Pick<CredentialsOf, "acquirerAccountId" | "version">,
): Promise<void> {
  await db.query("delete from vault.credentials where acquirer_account_id = $1 and version = $2", [
    acquirerAccountId,
    version,
  ]);
}
