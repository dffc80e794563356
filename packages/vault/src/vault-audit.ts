/**
 * What the vault has somebody write down for good: a record that does not open, and what becomes of its keys. Never
 * card data, never a key.
 */
import type { SealedFor, SealFault } from "./seal.ts";
import type { KeyPurpose } from "./keyring.ts";

export type VaultAuditEntry =
  /** A stored record did not open. `record` is what its row says it is. */
  | ({ what: "seal_broken"; record: SealedFor; keyId: string } & WhyBroken)
  /**
   * Registered: seen for the first time. Closed: nothing new is sealed under it. Retired: no record needs it any more.
   */
  | { what: "key_registered" | "key_closed" | "key_retired"; keyId: string; purpose: KeyPurpose };

export type WhyBroken = { reason: Exclude<SealFault, "other_account"> } | { reason: "other_account"; askedBy: string };

/**
 * Awaited before anything else happens. A process that is killed between a change and its entry leaves the change in
 * `vault.key`.
 */
export type VaultAudit = (entry: VaultAuditEntry) => void | Promise<void>;
