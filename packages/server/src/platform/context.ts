/**
 * The dependencies of the code in this folder, passed in so that tests can replace them. Each folder that builds on
 * this one extends the interface in its own `context.ts`.
 */
import type { Vault } from "@oriel/vault";
import type { AcquirerAccounts } from "./acquirer-account-cache.ts";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import type { ServerKeys } from "./server-keys.ts";
import type { Db } from "./storage/database.ts";
import type { Nodes } from "./storage/nodes.ts";

export interface PlatformContext {
  db: Db;
  nodes: Nodes;
  vault: Vault;
  acquirerAccounts: AcquirerAccounts;
  keys: ServerKeys;
  config: Pick<
    Config,
    | "checkoutOrigin"
    | "dashboardOrigin"
    | "apiUrl"
    | "webhooksToLoopback"
    | "live"
    | "rateLimits"
    | "threeDSecure"
    | "securityContact"
  >;
  /** Returns 0 to 1, like `Math.random`. Adds jitter to retries. */
  random: () => number;
  /** The service's time, based on the database's clock (`clock.ts`). It may move backward. */
  now: () => Date;
  log: Log;
  /** Runs work that continues after the response. The process waits for it before it ends, and logs failures. */
  inBackground(what: string, work: Promise<unknown>): void;
}
