/**
 * The sandbox bank's Adyen simulator: its Checkout API with raw card data under `/adyen/v71`, its notifications,
 * and routes that control it under `/adyen/control`. Native 3-D Secure uses the sandbox's directory server and ACS. All
 * of it was written from Adyen's published descriptions and wasn't compared with Adyen's test environment.
 *
 * It trusts the holder of its API key and nobody else. Its ledger is in memory and is lost when the bank stops. It
 * never contains a card number, and requests aren't logged.
 */
import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { BankSecret } from "../bank-secret.ts";
import type { Clock } from "../clock.ts";
import { authenticate, type DirectoryServer } from "../directory-server/routes.ts";
import type { Faults } from "../faults/faults.ts";
import { requireApiKey } from "./api-key.ts";
import { AdyenAuthentications } from "./authentications.ts";
import { controlRoutes } from "./control-routes.ts";
import { handleErrors } from "./error-handler.ts";
import { createFingerprint } from "./idempotency.ts";
import { AdyenLedger } from "./ledger.ts";
import { Notifier, type WebhookOptions } from "./notifier.ts";
import { createIssuer } from "./refusals.ts";
import { checkoutRoutes } from "./routes.ts";
import type { Delays } from "./timeline.ts";

export interface AdyenOptions {
  apiKey: string;
  merchantAccount: string;
  /** Default: false */
  multiplePartialCaptures?: boolean;
  /** Where notifications are sent. If absent, none are. */
  webhook?: WebhookOptions;
  /** Default: one second each. */
  delays?: Partial<Delays>;
  /** How long an idempotency key is known. Default: 7 days. */
  keyLifetimeMs?: number;
}

interface Dependencies {
  secret: BankSecret;
  directoryServer: DirectoryServer;
  clock: Clock;
  faults: Faults;
  random: () => number;
  /** Aborted when the bank closes. */
  closing: AbortSignal;
  onBug: (error: Error) => void;
}

/** Registers everything on a scope with the prefix `/adyen`. */
export async function adyenRoutes(app: FastifyInstance, options: AdyenOptions, bank: Dependencies): Promise<void> {
  const { apiKey, merchantAccount, multiplePartialCaptures, webhook, delays, keyLifetimeMs } = options;
  const { secret, directoryServer, clock, faults, random, closing, onBug } = bank;
  const now = () => new Date(clock.now());
  const ledger = new AdyenLedger({
    now,
    newPspReference,
    merchantAccount,
    multiplePartialCaptures,
    issuer: createIssuer(secret),
    fingerprint: createFingerprint(randomBytes(32)),
    keyLifetimeMs,
    delays,
  });
  const authentications = new AdyenAuthentications({
    origin: directoryServer.origin,
    authenticate: (areq) => authenticate(areq, directoryServer),
    resultOf: (threeDSServerTransID) => directoryServer.results.of(threeDSServerTransID),
    now,
    newPspReference,
  });
  const notifier = webhook === undefined ? null : new Notifier({ ...webhook, ledger, clock, random, closing });
  const onChange = () => notifier?.schedule();

  app.addHook("onRequest", requireApiKey(apiKey));
  handleErrors(app, onBug);
  const checkout = { merchantAccount, ledger, authentications, faults, clock, closing, onChange };
  await app.register(async (scope) => checkoutRoutes(scope, checkout), { prefix: "/v71" });
  await app.register(async (scope) => controlRoutes(scope, { ledger, notifier, onChange }), { prefix: "/control" });
}

/** 16 digits and capital letters, like Adyen's. */
function newPspReference(): string {
  const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"; // 32 characters, so that all are equally likely
  return Array.from(randomBytes(16), (byte) => alphabet[byte % 32]).join("");
}
