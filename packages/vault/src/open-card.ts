/**
 * Decrypts a stored card even during a rotation. Between reading the row and reading the file, a rotation may wrap the
 * data key under another key and remove the old one. A record that can't be decrypted is audited and refused, and
 * nothing of it is returned.
 *
 * The caller passes the account and the acquirer's mode. The seal authenticates both, whatever the row says.
 */
import { readCard, unsealCard, type Card, type CardOf } from "./card-store.ts";
import type { VaultDatabase } from "./vault-database.ts";
import type { Keyring, SealingKey, SealingPurpose } from "./keyring.ts";
import type { Mode } from "./mode.ts";
import { SealBrokenError, unseal, type Sealed, type SealedFor } from "./seal.ts";
import type { VaultAudit, WhyBroken } from "./vault-audit.ts";

/**
 * The row is read again if its key is unknown. One more read is enough, unless rotations follow each other without a
 * pause.
 */
const mostReadings = 4;

/**
 * Returns a payment method's card, with its CVC if that hasn't expired, or null if there's no card. A card of another
 * account or mode isn't decrypted.
 *
 * @throws SealBrokenError
 */
export async function openCard(
  db: VaultDatabase,
  keyring: Keyring,
  mode: Mode,
  { paymentMethodId, accountNo }: CardOf,
  now: Date,
  audit: VaultAudit,
): Promise<{ card: Card; cvc: string | null } | null> {
  let stored = await readCard(db, paymentMethodId, now);
  let key = stored && findKey(keyring, "card", stored.card.keyId, now);
  for (let reading = 1; stored !== null && key === null && reading < mostReadings; reading++) {
    stored = await readCard(db, paymentMethodId, now);
    key = stored && findKey(keyring, "card", stored.card.keyId, now);
  }
  if (stored === null) return null;
  const { cvc } = stored;
  const claimed: SealedFor = {
    mode: stored.mode,
    accountNo: stored.accountNo,
    recordId: paymentMethodId,
    purpose: "card",
  };
  if (stored.mode !== mode) throw await auditBroken({ reason: "other_mode" }, claimed, stored.card, audit);
  if (stored.accountNo !== accountNo)
    throw await auditBroken({ reason: "other_account", askedBy: accountNo }, claimed, stored.card, audit);
  const boundTo = { mode, accountNo, recordId: paymentMethodId };
  const card = await open(stored.card, key, { ...boundTo, purpose: "card" }, unsealCard, audit);
  if (cvc === null) return { card, cvc: null };
  const cvcKey = findKey(keyring, "cvc", cvc.keyId, now);
  return { card, cvc: await open(cvc, cvcKey, { ...boundTo, purpose: "cvc" }, unseal, audit) };
}

/** Finds a key. For an unknown one the file is read again, because another process may just have created it. */
function findKey(keyring: Keyring, purpose: SealingPurpose, id: string, now: Date): SealingKey | null {
  const isIt = (key: SealingKey) => key.id === id;
  return keyring.keys(now)[purpose].find(isIt) ?? keyring.reread()[purpose].find(isIt) ?? null;
}

async function open<T>(
  sealed: Sealed,
  key: SealingKey | null,
  record: SealedFor,
  read: (key: SealingKey, record: SealedFor, sealed: Sealed) => T,
  audit: VaultAudit,
): Promise<T> {
  if (key === null) throw await auditBroken({ reason: "unknown_key" }, record, sealed, audit);
  try {
    return read(key, record, sealed);
  } catch {
    throw await auditBroken({ reason: "does_not_open" }, record, sealed, audit);
  }
}

async function auditBroken(why: WhyBroken, record: SealedFor, { keyId }: Sealed, audit: VaultAudit) {
  await audit({ what: "seal_broken", ...why, record, keyId });
  return new SealBrokenError(record, why.reason);
}
