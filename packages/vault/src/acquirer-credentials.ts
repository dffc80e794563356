/**
 * Takes the credentials of acquirer accounts from an operator. They're checked, stored as a new version and can't be read
 * back.
 */
import { randomUUID } from "node:crypto";
import { connectorKinds, type AcquirerAccount } from "./connectors/registry.ts";
import { eraseCredentials, storeCredentials } from "./credentials-store.ts";
import { withOpenKeys, type OpenKeysParts } from "./open-keys.ts";

export interface AcquirerCredentials {
  /**
   * Stores new credentials of an acquirer account. They count once the acquirer account has the version that is returned.
   * Earlier ones stay until they're erased.
   *
   * @throws AcquirerAccountError if they aren't what the connector needs
   */
  storeCredentials(
    account: Pick<AcquirerAccount, "id" | "accountNo" | "mode" | "connector">,
    credentials: unknown,
  ): Promise<string>;
  eraseCredentials(acquirerAccountId: string, version: string): Promise<void>;
}

export function createAcquirerCredentials(parts: OpenKeysParts): AcquirerCredentials {
  const { db, now } = parts;
  return {
    async storeCredentials({ id: acquirerAccountId, accountNo, mode, connector }, entered) {
      const credentials = connectorKinds[connector].readCredentials(entered);
      const version = randomUUID();
      const entry = { acquirerAccountId, version, accountNo, mode, credentials };
      await withOpenKeys(parts, (keys) => storeCredentials(db, keys, entry, now()));
      return version;
    },
    eraseCredentials: (acquirerAccountId, version) => eraseCredentials(db, { acquirerAccountId, version }),
  };
}
