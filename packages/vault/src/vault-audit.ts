/** The vault's audit entries: records that can't be decrypted, and changes of keys. Never card data or keys. */
import type { KeyPurpose } from "./keys/keyring.ts";
import type { SealedFor, SealFault } from "./sealing/seal.ts";

export type VaultAuditEntry =
  /** A stored record couldn't be decrypted. `record` is what its row says. */
  | ({ what: "seal_broken"; record: SealedFor; keyId: string } & WhyBroken)
  /** Registered: seen for the first time. Closed: nothing new is sealed under it. Retired: no record needs it. */
  | { what: "key_registered" | "key_closed" | "key_retired"; keyId: string; purpose: KeyPurpose };

export type WhyBroken =
  | { reason: Exclude<SealFault, "other_account"> }
  | { reason: "other_account"; requestedBy: number };

/**
 * Awaited before anything else happens. If the process dies between a change and its entry, `vault.key` still has the
 * change.
 */
export type VaultAudit = (entry: VaultAuditEntry) => void | Promise<void>;
