/** The vault's front door. What is not named here is nobody else's business. */
export { createHttpBank, type Bank, type HttpBankOptions } from "./bank.ts";
export type { VaultDatabase } from "./card-store.ts";
export { decrypt, encrypt } from "./aead.ts";
export { KeyFileError, newSecret, openKeyFile, readSecret } from "./key-file.ts";
export { newKeyring, openKeyring, type Keyring } from "./keyring.ts";
export { vaultMigrations } from "./migrations.ts";
export {
  CardGoneError,
  createVault,
  type AuthenticationAnswer,
  type AuthorizationOutcome,
  type CardRangeOf,
  type CardSummary,
  type StoreCardResult,
  type Vault,
} from "./vault.ts";
