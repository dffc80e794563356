/** The vault's public interface. Import nothing else from this package. */
export { createAcquirerCredentials, type AcquirerCredentials } from "./acquirer-accounts/acquirer-credentials.ts";
export { decrypt, encrypt } from "./sealing/aead.ts";
export { CardGoneError, type AcquirerOutcome, type CardAcquirer } from "./cards/card-acquirer.ts";
export type { CardDirectoryServer, CardThreeDSServer, VendorReply } from "./cards/card-three-ds.ts";
export {
  disputeSteps,
  isDisputeStep,
  type DisputeStep,
  type Notification,
  type NotificationEvent,
  type NotificationSubject,
  type NotifiedOccurrence,
  type NotifiedOutcome,
  type ReadNotification,
  type RefusedBecause,
  type UnsignedDispute,
  type UnsignedFields,
} from "./connectors/notification.ts";
export { AcquirerAccountError } from "./connectors/operator-input.ts";
export { connectorKinds, type AcquirerAccount } from "./connectors/registry.ts";
export {
  noDetails,
  type CardUsage,
  type Customer,
  type Details as AcquirerDetails,
  type Proof,
} from "./connectors/acquirer.ts";
export type { VendorRequest } from "./connectors/connector.ts";
export type { OpenCall } from "./connectors/http.ts";
export { connectSandbox } from "./connectors/sandbox/connect-sandbox.ts";
export type { AuthenticationEnd, Enrollment, VendorAuthentication } from "./connectors/three-ds-server.ts";
export { readDatabaseRole } from "./database-role.ts";
export { createKeyFile, KeyFileError, newSecret, openKeyFile, readSecret } from "./keys/key-file.ts";
export { openKeyring, readKeyring } from "./keys/keyring.ts";
export type { Mode } from "./mode.ts";
export { vaultMigrations } from "./migrations.ts";
export { rotateKeys } from "./keys/rotate-keys.ts";
export { SealBrokenError } from "./sealing/seal.ts";
export { checkStoredKeys } from "./keys/stored-keys.ts";
export type { VaultAudit, VaultAuditEntry } from "./vault-audit.ts";
export type { CardOf } from "./cards/card-store.ts";
export { createVault, type CardSummary, type StoreCardResult, type Vault } from "./vault.ts";
