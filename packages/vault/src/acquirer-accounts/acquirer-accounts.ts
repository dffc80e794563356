/**
 * The connections of acquirer accounts. They stay open while settings and credentials stay the same, so that each has
 * its pool of HTTP connections. The caller says what an acquirer account's settings are now: if they or the version of
 * the credentials have changed, it's opened again.
 *
 * If credentials are missing or can't be decrypted, or the settings can't be read by this version, the acquirer account
 * can't be used. The operator is warned, and it's tried again after a minute. Others aren't affected.
 */
import type { ConnectorName } from "@oriel/protocol/connectors";
import { createCardAcquirer, type CardAcquirer, type CardAcquirerParts } from "../cards/card-acquirer.ts";
import type { Observe } from "../connectors/connector.ts";
import type { OpenCall } from "../connectors/http.ts";
import type { ReadNotification } from "../connectors/notification.ts";
import { AcquirerAccountError } from "../connectors/operator-input.ts";
import { connectorKinds, type AcquirerAccount } from "../connectors/registry.ts";
import type { Mode } from "../mode.ts";
import { SealBrokenError } from "../sealing/seal.ts";
import { openCredentials } from "./credentials-store.ts";

/** An acquirer account that can be used. */
interface Usable {
  acquirer: CardAcquirer;
  readNotification(body: unknown): ReadNotification[] | null;
}

interface Entry {
  fingerprint: string;
  openedAt: number;
  /** Null if it can't be used. */
  usable: Promise<Usable | null>;
}

export interface AcquirerAccountsParts extends CardAcquirerParts {
  /** See `ConnectorDependencies` in `connectors/connector-kind.ts`. */
  connections: {
    returnUrl: string;
    moreHosts?: MoreHosts;
    observe?: (mode: Mode) => Observe;
    moneyTimeoutMs?: number | undefined;
    openCall?: OpenCall | undefined;
  };
}

/** Hosts that the operator allows besides the vendors' own. Default: none. */
export type MoreHosts = Readonly<Record<ConnectorName, readonly string[]>>;

const unobserved: Observe = (_request, run) => run();

const retryAfterMs = 60_000;

/** Returns a function that opens an acquirer account, or returns null if it can't be used. */
export function cacheAcquirerAccounts(
  parts: AcquirerAccountsParts,
): (account: AcquirerAccount) => Promise<Usable | null> {
  const { db, keyring, now, warn, audit, connections } = parts;
  const entries = new Map<string, Entry>();

  return async (account) => {
    const { id, accountNo, mode, connector, settings, credentialsVersion } = account;
    const fingerprint = JSON.stringify([accountNo, mode, connector, credentialsVersion, settings]);
    const known = entries.get(id);
    if (known?.fingerprint === fingerprint) {
      const usable = await known.usable;
      if (usable !== null || isRecent(known)) return usable;
    }
    const entry = { fingerprint, openedAt: now().getTime(), usable: open(account) };
    entries.set(id, entry);
    return await entry.usable.catch((error: unknown) => {
      if (entries.get(id) === entry) entries.delete(id);
      throw error;
    });
  };

  function isRecent({ openedAt }: Entry): boolean {
    return Math.abs(now().getTime() - openedAt) < retryAfterMs;
  }

  async function open({ id, accountNo, mode, connector, settings, credentialsVersion }: AcquirerAccount) {
    const owner = { acquirerAccountId: id, version: credentialsVersion, accountNo, mode };
    try {
      const credentials = await openCredentials(db, keyring, owner, now(), audit);
      if (credentials === null) throw new AcquirerAccountError(null, "There are no credentials.");
      const { observe, moreHosts, ...more } = connections;
      const hosts = moreHosts?.[connector] ?? [];
      const dependencies = { ...more, moreHosts: hosts, observe: observe?.(mode) ?? unobserved };
      const { readNotification, ...opened } = connectorKinds[connector].open(mode, settings, credentials, dependencies);
      return { acquirer: createCardAcquirer(opened, parts), readNotification };
    } catch (error) {
      if (!(error instanceof SealBrokenError || error instanceof AcquirerAccountError)) throw error;
      const isSetting = error instanceof AcquirerAccountError && error.param?.startsWith("settings") === true;
      warn(
        `The acquirer account ${id} can't be used: ${error.message}${isSetting ? "" : " Enter its credentials again."}`,
      );
      return null;
    }
  }
}
