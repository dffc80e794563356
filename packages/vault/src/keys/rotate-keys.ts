/**
 * Rotates the vault's keys while the service runs. Records aren't encrypted again. Only their data keys are wrapped
 * under the new key.
 *
 * ```
 * 1 add a new current key for cards and for CVCs to the key file  (old keys stay; atomic, under the lease)
 * 2 register them, and close the older ones                   (from here on nothing new uses those)
 * 3 rewrap the data keys of cards and credentials             (500 at a time; updates skip erased records)
 * 4 retire older keys without records, then remove them      (so a needed key is never missing)
 * ```
 * After an interruption, run it again: it first finishes the earlier rotation, and creates a new key only if there was
 * nothing to finish. CVCs aren't rewrapped, because they're stored for fifteen minutes at most. The sweep retires their
 * old keys. A record that can't be decrypted is reported and left alone, and so is its key.
 */
import type { VaultAudit } from "../vault-audit.ts";
import type { VaultDatabase } from "../vault-database.ts";
import { withKeyFileLease } from "./key-file-lease.ts";
import { KeyFileError } from "./key-file.ts";
import { checkKeys, closeOtherKeys, retiredKeys, retireEmptyKeys } from "./key-register.ts";
import { currentKey, newSealingKey, type Keyring, type Keys, type SealingKey } from "./keyring.ts";
import { rewrapRecords, type RewrapProgress } from "./rewrap-records.ts";

export interface RotationOptions {
  db: VaultDatabase;
  keyring: Keyring;
  now: () => Date;
  onProgress?: (progress: RewrapProgress) => void;
  audit?: VaultAudit;
}

export interface RotationResult {
  /** Records under older keys are now under this one. */
  currentKeyId: string;
  /** Whether an interrupted rotation was finished, and no new key created. */
  isResumed: boolean;
  rewrapped: number;
  retiredKeyIds: string[];
  /** Records that can't be decrypted, at most 100. Until they're erased, their key stays in the file. */
  brokenRecordIds: string[];
}

/**
 * @throws KeyFileError if the file doesn't belong to the database or can't be replaced, or another process is changing
 *   it
 */
export async function rotateKeys(options: RotationOptions): Promise<RotationResult> {
  const { db, keyring, now, onProgress = () => {}, audit = () => {} } = options;
  await checkKeys(db, keyring, now(), audit);

  const seen = keyring.reread();
  const leftOver = await finish();
  if (leftOver.rewrapped > 0 || leftOver.retiredKeyIds.length > 0) return { ...leftOver, isResumed: true };
  await addKeys(db, keyring, seen, now(), audit);
  return { ...(await finish()), isResumed: false };

  async function finish(): Promise<Omit<RotationResult, "isResumed">> {
    await closeOldKeys(db, keyring, now(), audit);
    const { rewrapped, brokenRecordIds } = await rewrapRecords(db, keyring, now(), onProgress, audit);
    const retiredKeyIds = await retireEmptyKeys(db, "card", now(), audit);
    const dropped = await dropRetiredKeys(db, keyring);
    const currentKeyId = currentKey(keyring.reread(), "card").id;
    return { currentKeyId, rewrapped, brokenRecordIds, retiredKeyIds: [...new Set([...retiredKeyIds, ...dropped])] };
  }
}

/**
 * Adds new current keys in one replacement of the file. Does nothing if another process has added some since `seen` was
 * read.
 */
async function addKeys(db: VaultDatabase, keyring: Keyring, seen: Keys, now: Date, audit: VaultAudit): Promise<void> {
  await changeKeyFile(db, async (renew) => {
    const keys = keyring.reread();
    if (currentKey(keys, "card").id !== currentKey(seen, "card").id) return;
    await renew();
    keyring.replace({ ...keys, card: [...keys.card, newSealingKey("card")], cvc: [...keys.cvc, newSealingKey("cvc")] });
    await checkKeys(db, keyring, now, audit);
  });
}

/** Needs the lease, because a process that doesn't know the newest key would close it. */
async function closeOldKeys(db: VaultDatabase, keyring: Keyring, now: Date, audit: VaultAudit): Promise<void> {
  await changeKeyFile(db, async () => {
    const keys = keyring.reread();
    for (const purpose of ["card", "cvc"] as const)
      await closeOtherKeys(db, purpose, currentKey(keys, purpose).id, now, audit);
  });
}

/** Removes retired keys from the file, except current ones. Returns the names of removed card keys. */
export async function dropRetiredKeys(db: VaultDatabase, keyring: Keyring): Promise<string[]> {
  const retired = await retiredKeys(db);
  const isRetired = ({ id }: { id: string }) => retired.has(id);
  const { card, cvc } = keyring.reread();
  if (!card.some(isRetired) && !cvc.some(isRetired)) return [];
  return await changeKeyFile(db, async (renew) => {
    const keys = keyring.reread();
    await renew();
    const stays = (key: SealingKey, at: number, list: readonly SealingKey[]) =>
      !isRetired(key) || at === list.length - 1;
    const remaining = { card: keys.card.filter(stays), cvc: keys.cvc.filter(stays) };
    keyring.replace({ ...keys, ...remaining });
    return keys.card.filter((key) => !remaining.card.includes(key)).map(({ id }) => id);
  });
}

async function changeKeyFile<T>(db: VaultDatabase, change: (renew: () => Promise<void>) => Promise<T>): Promise<T> {
  const done = await withKeyFileLease(db, ({ renew }) => change(renew));
  if (done === null) throw new KeyFileError("Another process is changing the key file. Try again in 30 seconds.");
  return done.result;
}
