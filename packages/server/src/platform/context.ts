/** What the business needs from the outside world. Everything here is handed in, so a test can hand in something else. */
import type { Vault } from "@oriel/vault";
import type { Claims } from "../payments/attempts/claims.ts";
import type { Config } from "./config.ts";
import type { Jobs } from "./jobs/jobs.ts";
import type { Mailer } from "../merchants/mail/mailer.ts";
import type { RiskSettings } from "../payments/risk/settings.ts";
import type { ServerKeys } from "./server-keys.ts";
import type { Auth } from "../merchants/sign-in/auth.ts";
import type { Db } from "./storage/database.ts";
import type { Network } from "../webhooks/network.ts";

export interface Context {
  db: Db;
  vault: Vault;
  jobs: Jobs;
  /** The attempts that this process is asking the bank about. */
  claims: Claims;
  keys: ServerKeys;
  /** Signing in to the dashboard. */
  auth: Auth;
  /** @returns a PHC string */
  hashPassword(password: string): Promise<string>;
  mailer: Mailer;
  /** Where webhooks go. */
  network: Network;
  config: Pick<
    Config,
    "checkoutOrigin" | "dashboardOrigin" | "apiUrl" | "webhooksToLoopback" | "live" | "rateLimits" | "threeDSecure"
  >;
  riskSettings: RiskSettings;
  /** 0 to 1, as `Math.random`: spreads retries out. */
  random: () => number;
  /** The service's time, which is the database's: see `clock.ts`. It may step backwards. */
  now: () => Date;
  log: Log;
  /** Work that goes on after the answer was sent. It is awaited before the process ends, and its failure is logged. */
  inBackground(what: string, work: Promise<unknown>): void;
}

/** As much of a logger as the business uses. Never card data, never a secret. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Which request a change came from: events carry it. */
export interface Cause {
  requestId: string | null;
  idempotencyKey: string | null;
  /** Who asked, for the audit log, where it was a person and not a secret key: `login ann@shop.example`. */
  actor?: string;
}

/** A change that time or the customer made. */
export const noCause: Cause = { requestId: null, idempotencyKey: null };
