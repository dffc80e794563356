/** The vault's front door. What is not named here is nobody else's business. */
export { decrypt, encrypt } from "./aead.ts";
export { readDatabaseRole } from "./database-role.ts";
export { createHttpBank } from "./http-bank.ts";
export { KeyFileError, newSecret, openKeyFile, readSecret } from "./key-file.ts";
export { openKeyring, readKeyring } from "./keyring.ts";
export { vaultMigrations } from "./migrations.ts";
export { rotateKeys } from "./rotate-keys.ts";
export { SealBrokenError } from "./seal.ts";
export type { VaultAudit, VaultAuditEntry } from "./vault-audit.ts";
export {
  CardGoneError,
  createVault,
  type BankOutcome,
  type CardRangeOf,
  type CardSummary,
  type StoreCardResult,
  type Vault,
} from "./vault.ts";
