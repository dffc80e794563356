/** The vendors' connectors that an account can have (`packages/vault/src/connectors`). */
export const connectorNames = ["adyen"] as const;
export type ConnectorName = (typeof connectorNames)[number];
