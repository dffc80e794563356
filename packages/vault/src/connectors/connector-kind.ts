/**
 * A kind of connector that an acquirer account can have. It reads the settings and credentials that an operator enters,
 * and opens a connection with them.
 */
import type { ConnectorSettings } from "@oriel/protocol/dashboard/acquirers";
import type { Mode } from "../mode.ts";
import type { Connector, Observe } from "./connector.ts";
import type { OpenCall } from "./http.ts";
import type { ReadNotification } from "./notification.ts";

export interface ConnectorKind {
  /**
   * Checks the settings and adds defaults. The API's host must be the vendor's, because card numbers are sent to it.
   *
   * @param moreHosts Other hosts that the operator allows
   * @throws AcquirerAccountError
   */
  readSettings(settings: unknown, mode: Mode, moreHosts: readonly string[]): ConnectorSettings;
  /** The account at the vendor. With another one, it's another acquirer account, because the payments aren't there. */
  identityOf(settings: ConnectorSettings): unknown;
  /** The origin to which the credentials are sent. */
  destinationOf(settings: ConnectorSettings): string;
  /** Checks the credentials. The error names fields but doesn't quote them. @throws AcquirerAccountError */
  readCredentials(credentials: unknown): object;
  /**
   * Sends a request that moves no money, to check that the settings and credentials work. Both were read with the
   * methods above.
   *
   * @throws AcquirerAccountError if they don't
   */
  tryOut(settings: ConnectorSettings, credentials: unknown, openCall?: OpenCall): Promise<void>;
  /** Reads settings and credentials that were checked earlier. @throws AcquirerAccountError if they no longer pass */
  open<M extends Mode>(
    mode: M,
    settings: ConnectorSettings,
    credentials: unknown,
    dependencies: ConnectorDependencies,
  ): OpenedConnector<M>;
}

export interface OpenedConnector<M extends Mode = Mode> extends Connector<M> {
  /** Null if it isn't one of the vendor's notifications. */
  readNotification(body: unknown): ReadNotification[] | null;
}

/** What a connector gets from the service. */
export interface ConnectorDependencies {
  /** A URL of ours that vendors require, although customers are never sent there. */
  returnUrl: string;
  /** See {@link ConnectorKind.readSettings}. */
  moreHosts: readonly string[];
  observe: Observe;
  /** Timeout of each request that moves money. Default: the connector's. */
  moneyTimeoutMs?: number | undefined;
  /** Opens the connection to the vendor. Default: over HTTP (`http.ts`). */
  openCall?: OpenCall | undefined;
}
