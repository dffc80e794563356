import type { PlatformContext } from "../platform/context.ts";
import type { Network } from "./network.ts";

export interface WebhookContext extends PlatformContext {
  /** The network that webhooks are sent over. */
  network: Network;
}
