/**
 * The connectors that an acquirer account can have. An acquirer account is a merchant's own account at a vendor, for
 * one mode.
 *
 * To add a connector, implement {@link ConnectorKind} in its folder, and add its name to `@oriel/protocol/connectors`.
 */
import type { ConnectorName } from "@oriel/protocol/connectors";
import type { ConnectorSettings } from "@oriel/protocol/dashboard/acquirers";
import type { Mode } from "../mode.ts";
import { adyen } from "./adyen/connect-adyen.ts";
import type { ConnectorKind } from "./connector-kind.ts";

export interface AcquirerAccount<M extends Mode = Mode> {
  id: string;
  accountNo: number;
  mode: M;
  connector: ConnectorName;
  /** As returned by {@link ConnectorKind.readSettings}. Not secret. */
  settings: ConnectorSettings;
  /** Of the credentials in the vault that belong to the settings. */
  credentialsVersion: string;
}

export const connectorKinds: Readonly<Record<ConnectorName, ConnectorKind>> = { adyen };
