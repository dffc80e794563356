import type { PlatformContext } from "../platform/context.ts";
import type { Network } from "./network.ts";

export interface WebhookContext extends PlatformContext {
  /** Where webhooks go. */
  network: Network;
}
