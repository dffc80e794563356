/** The vault's front door. What is not named here is nobody else's business. */
export { decrypt, encrypt } from "./aead.ts";
export type { Bank, BankAnswer, BankOperation } from "./bank.ts";
export type { VaultDatabase } from "./card-store.ts";
export { createHttpBank, type HttpBankOptions } from "./http-bank.ts";
export { KeyFileError, newSecret, openKeyFile, readSecret } from "./key-file.ts";
export { newKeyring, openKeyring, type Keyring } from "./keyring.ts";
export { vaultMigrations } from "./migrations.ts";
export { rotateVaultKeys, type RotationOptions, type RotationResult } from "./rotate-keys.ts";
export { SealBrokenError } from "./seal.ts";
export type { VaultAudit, VaultAuditEntry } from "./vault-audit.ts";
export { checkVaultRole, type VaultRole } from "./vault-role.ts";
export {
  CardGoneError,
  createVault,
  type AuthenticationAnswer,
  type BankOutcome,
  type CardRangeOf,
  type CardSummary,
  type StoreCardResult,
  type Vault,
} from "./vault.ts";
