/**
 * Stores an account's credentials for its acquirer, encrypted. There's at most one record per account and mode. The
 * credentials are returned only inside this package and never appear in errors or audit entries.
 */
import { checkValue } from "./key-register.ts";
import { currentKey, type Keyring, type Keys } from "./keyring.ts";
import type { Mode } from "./mode.ts";
import { openSealed, readWithKey } from "./open-sealed.ts";
import { seal, unseal, type Sealed, type SealedFor } from "./seal.ts";
import type { VaultAudit } from "./vault-audit.ts";
import type { VaultDatabase } from "./vault-database.ts";

/** The account and mode that the credentials belong to. */
export interface CredentialsOf {
  accountNo: number;
  mode: Mode;
}

export interface CredentialsToStore extends CredentialsOf {
  credentials: Readonly<Record<string, string>>;
}

/**
 * What the credentials of an account and mode are bound to. The ID is in audit entries, which account owners can see, so
 * it doesn't contain the account's number.
 */
export function credentialsRecord({ accountNo, mode }: CredentialsOf): SealedFor {
  return { mode, accountNo, recordId: `credentials_${mode}`, purpose: "credentials" };
}

/**
 * Stores the credentials, and replaces earlier ones. `key_closed`: the current key of `keys` is closed, not registered,
 * or doesn't match the registered one. Then nothing changes.
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
       select id from vault.key where id = $3 and check_value = $4 and closed_at is null for share
     )
     insert into vault.credentials (account_no, mode, key_id, wrapped_key, sealed, created_at)
     select $1, $2, id, $5, $6, $7 from open_key
         on conflict (account_no, mode) do update
        set key_id = excluded.key_id, wrapped_key = excluded.wrapped_key, sealed = excluded.sealed,
            created_at = excluded.created_at
     returning 1`,
    [owner.accountNo, owner.mode, key.id, checkValue(key.id, key.secret), wrappedKey, content, now],
  );
  return rows.length === 1 ? "stored" : "key_closed";
}

/**
 * Returns the credentials of an account and mode as the JSON value that was stored, or null if there are none.
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

async function readCredentials(db: VaultDatabase, { accountNo, mode }: CredentialsOf): Promise<Sealed | null> {
  const { rows } = await db.query(
    "select key_id, wrapped_key, sealed from vault.credentials where account_no = $1 and mode = $2",
    [accountNo, mode],
  );
  const row = rows[0] as CredentialsRow | undefined; // the columns of the query above
  return row === undefined ? null : { keyId: row.key_id, wrappedKey: row.wrapped_key, content: row.sealed };
}

interface CredentialsRow {
  key_id: string;
  wrapped_key: Uint8Array;
  sealed: Uint8Array;
}

/** Returns whether there are credentials, without decrypting them. */
export async function hasCredentials(db: VaultDatabase, { accountNo, mode }: CredentialsOf): Promise<boolean> {
  const { rows } = await db.query("select 1 from vault.credentials where account_no = $1 and mode = $2", [
    accountNo,
    mode,
  ]);
  return rows.length === 1;
}

export async function eraseCredentials(db: VaultDatabase, { accountNo, mode }: CredentialsOf): Promise<void> {
  await db.query("delete from vault.credentials where account_no = $1 and mode = $2", [accountNo, mode]);
}
