/**
 * Takes the settings and credentials of acquirer accounts from an operator. Both are checked, also with a request to
 * the vendor. Credentials are stored as a new version and can't be read back.
 */
import { randomUUID } from "node:crypto";
import type { ConnectorSettings } from "@oriel/protocol/dashboard/acquirers";
import { AcquirerAccountError } from "../connectors/operator-input.ts";
import { connectorKinds, type AcquirerAccount } from "../connectors/registry.ts";
import { withOpenKeys, type OpenKeysParts } from "../keys/open-keys.ts";
import { SealBrokenError } from "../sealing/seal.ts";
import type { AcquirerAccountsParts } from "./acquirer-accounts.ts";
import { eraseCredentials, openCredentials, storeCredentials } from "./credentials-store.ts";

export interface AcquirerCredentials {
  /**
   * Checks settings and adds defaults.
   *
   * @throws AcquirerAccountError if they aren't what the connector needs, for example if the host isn't allowed
   */
  readSettings(account: Pick<AcquirerAccount, "connector" | "mode">, settings: unknown): ConnectorSettings;
  /**
   * Checks that settings and credentials work, with a request to the vendor that moves no money. The credentials are
   * new ones, or those of a version that is stored.
   *
   * @throws AcquirerAccountError if they don't
   */
  tryOut(
    account: Omit<AcquirerAccount, "credentialsVersion">,
    credentials: { entered: unknown } | { version: string },
  ): Promise<void>;
  /**
   * Stores new credentials of an acquirer account. They count once the acquirer account has the version that is
   * returned. Earlier ones stay until they're erased.
   *
   * @throws AcquirerAccountError if they aren't what the connector needs
   */
  storeCredentials(
    account: Pick<AcquirerAccount, "id" | "accountNo" | "mode" | "connector">,
    credentials: unknown,
  ): Promise<string>;
  eraseCredentials(acquirerAccountId: string, version: string): Promise<void>;
}

export function createAcquirerCredentials(
  parts: OpenKeysParts & { connections: Pick<AcquirerAccountsParts["connections"], "moreHosts" | "openCall"> },
): AcquirerCredentials {
  const { db, keyring, now, audit, connections } = parts;
  const readSettings: AcquirerCredentials["readSettings"] = ({ connector, mode }, settings) =>
    connectorKinds[connector].readSettings(settings, mode, connections.moreHosts?.[connector] ?? []);

  return {
    readSettings,

    async tryOut(account, credentials) {
      const { id: acquirerAccountId, accountNo, mode, connector } = account;
      const kind = connectorKinds[connector];
      const settings = readSettings(account, account.settings);
      const opened =
        "entered" in credentials
          ? kind.readCredentials(credentials.entered)
          : await openCredentials(
              db,
              keyring,
              { acquirerAccountId, ...credentials, accountNo, mode },
              now(),
              audit,
            ).catch(asMissing);
      if (opened === null)
        throw new AcquirerAccountError(
          "credentials.api_key",
          "The stored credentials can't be read, so enter them again.",
        );
      await kind.tryOut(settings, opened, connections.openCall);
    },

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

/** Credentials that can't be decrypted are as good as none. */
function asMissing(error: unknown): null {
  if (error instanceof SealBrokenError) return null;
  throw error;
}
