/**
 * Decrypts a stored card. The caller passes the account and the acquirer's mode. The seal authenticates both, whatever
 * the row says.
 */
import type { Keyring } from "../keys/keyring.ts";
import type { Mode } from "../mode.ts";
import { auditBroken, findKey, openSealed, readWithKey } from "../sealing/open-sealed.ts";
import { unseal, type SealedFor } from "../sealing/seal.ts";
import type { VaultAudit } from "../vault-audit.ts";
import type { VaultDatabase } from "../vault-database.ts";
import { readCard, unsealCard, type Card, type CardOf } from "./card-store.ts";

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
  const read = () => readCard(db, paymentMethodId, now);
  const found = await readWithKey(read, ({ card }) => card.keyId, keyring, now);
  if (found === null) return null;
  const { stored, key } = found;
  const { cvc } = stored;
  const claimed: SealedFor = {
    mode: stored.mode,
    accountNo: stored.accountNo,
    recordId: paymentMethodId,
    purpose: "card",
  };
  if (stored.mode !== mode) throw await auditBroken({ reason: "other_mode" }, claimed, stored.card, audit);
  if (stored.accountNo !== accountNo)
    throw await auditBroken({ reason: "other_account", requestedBy: accountNo }, claimed, stored.card, audit);
  const boundTo = { mode, accountNo, recordId: paymentMethodId };
  const card = await openSealed(stored.card, key, { ...boundTo, purpose: "card" }, unsealCard, audit);
  if (cvc === null) return { card, cvc: null };
  const cvcKey = findKey(keyring, "cvc", cvc.keyId, now);
  return { card, cvc: await openSealed(cvc, cvcKey, { ...boundTo, purpose: "cvc" }, unseal, audit) };
}
