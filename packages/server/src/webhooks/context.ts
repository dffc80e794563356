import type { TelemetryContext } from "../telemetry/context.ts";
import type { Network } from "./network.ts";

export interface WebhookContext extends TelemetryContext {
  /** The network that webhooks are sent over. */
  network: Network;
}
