/**
 * Gives the vault new keys while it is in use. Records are not sealed again: their data keys are wrapped under the new
 * key, the content stays.
 *
 * ```
 * 1 the key file gets a new current key for cards and one for codes   (the old ones stay in it; replaced in one step, under the lease)
 * 2 they are registered, and the older ones closed                    (from here on nothing new comes under those)
 * 3 the cards' data keys are rewrapped, 500 at a time                  (a conditional update each: it loses to a card that was erased)
 * 4 older keys without records are retired, then leave the file       (in this order: a key that is needed is never missing)
 * ```
 * Killed anywhere, it is simply started again: what an earlier rotation left is finished first, and only when there was
 * nothing to finish a new key is made. Codes are not rewrapped; they live fifteen minutes, and the sweep retires their
 * old keys when they are gone. A record that does not open is reported and left alone, and so is the key that it names.
 */
import type { VaultDatabase } from "./vault-database.ts";
import { withKeyFileLease } from "./key-file-lease.ts";
import { KeyFileError } from "./key-file.ts";
import { checkKeys, closeOtherKeys, retiredKeys, retireEmptyKeys } from "./key-register.ts";
import { currentKey, newSealingKey, type Keyring, type Keys, type SealingKey } from "./keyring.ts";
import { rewrapCards, type RewrapProgress } from "./rewrap-cards.ts";
import type { VaultAudit } from "./vault-audit.ts";

export interface RotationOptions {
  db: VaultDatabase;
  keyring: Keyring;
  now: () => Date;
  onProgress?: (progress: RewrapProgress) => void;
  audit?: VaultAudit;
}

export interface RotationResult {
  /** What was sealed under older keys is under this one now. */
  currentKeyId: string;
  /** Whether an interrupted rotation was finished, instead of a new key being made. */
  isResumed: boolean;
  rewrapped: number;
  retiredKeyIds: string[];
  /** Records that do not open, at most a hundred of them. Until they are erased, their key stays in the file. */
  brokenRecordIds: string[];
}

/**
 * @throws KeyFileError when the file does not belong to the database or cannot be replaced, or another process is
 *   changing it
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
    const { rewrapped, brokenRecordIds } = await rewrapCards(db, keyring, now(), onProgress, audit);
    const retiredKeyIds = await retireEmptyKeys(db, "card", now(), audit);
    const dropped = await dropRetiredKeys(db, keyring);
    const currentKeyId = currentKey(keyring.reread(), "card").id;
    return { currentKeyId, rewrapped, brokenRecordIds, retiredKeyIds: [...new Set([...retiredKeyIds, ...dropped])] };
  }
}

/**
 * New current keys, in one replacement of the file. Does nothing when another process has added some since `seen` was
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

/** Under the lease, because a process that doesn't know the newest key would close it. */
async function closeOldKeys(db: VaultDatabase, keyring: Keyring, now: Date, audit: VaultAudit): Promise<void> {
  await changeKeyFile(db, async () => {
    const keys = keyring.reread();
    for (const purpose of ["card", "cvc"] as const)
      await closeOtherKeys(db, purpose, currentKey(keys, purpose).id, now, audit);
  });
}

/** Takes retired keys out of the file, but never its current ones; the names of the cards' keys among them. */
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
    const kept = { card: keys.card.filter(stays), cvc: keys.cvc.filter(stays) };
    keyring.replace({ ...keys, ...kept });
    return keys.card.filter((key) => !kept.card.includes(key)).map(({ id }) => id);
  });
}

async function changeKeyFile<T>(db: VaultDatabase, change: (renew: () => Promise<void>) => Promise<T>): Promise<T> {
  const done = await withKeyFileLease(db, ({ renew }) => change(renew));
  if (done === null) throw new KeyFileError("Another process is changing the key file. Try again in half a minute.");
  return done.result;
}
