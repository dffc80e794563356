/**
 * What the business needs from the outside world. Everything here is passed in, so a test can pass something else. The
 * folders above add their own parts, each in its `context.ts`.
 */
import type { Vault } from "@oriel/vault";
import type { Config } from "./config.ts";
import type { Jobs } from "./jobs/jobs.ts";
import type { Log } from "./log.ts";
import type { ServerKeys } from "./server-keys.ts";
import type { Db } from "./storage/database.ts";

export interface PlatformContext {
  db: Db;
  vault: Vault;
  jobs: Jobs;
  keys: ServerKeys;
  config: Pick<
    Config,
    "checkoutOrigin" | "dashboardOrigin" | "apiUrl" | "webhooksToLoopback" | "live" | "rateLimits" | "threeDSecure"
  >;
  /** 0 to 1, as `Math.random`: spreads retries out. */
  random: () => number;
  /** The service's time, which is the database's: see `clock.ts`. It may step backwards. */
  now: () => Date;
  log: Log;
  /** Work that goes on after the answer was sent. It is awaited before the process ends, and its failure is logged. */
  inBackground(what: string, work: Promise<unknown>): void;
}
