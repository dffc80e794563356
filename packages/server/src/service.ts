/** Opens what a process needs: key files, database, vault and background work. Closes it in reverse order. */
import { mkdirSync } from "node:fs";
import { connectSandbox, createVault, openKeyring, type Mode, type OpenCall } from "@oriel/vault";
import type { Context } from "./http/context.ts";
import { auditVault } from "./merchants/audit/audit-vault.ts";
import { createMailer, type Mailer } from "./merchants/emails/mailer.ts";
import { startSendingEmails } from "./merchants/emails/send-emails.ts";
import { createAuth, type AuthContext } from "./merchants/sign-in/auth.ts";
import { fullPasswordCost, hashPassword as hashWith, type PasswordCost } from "./merchants/sign-in/passwords.ts";
import { welcome } from "./merchants/sign-in/welcome.ts";
import { createClaims } from "./payments/attempts/claims.ts";
import { startRecovery } from "./payments/flow/recovery.ts";
import { startNotifications } from "./payments/notifications/process.ts";
import { defaultDeclineStepMs } from "./payments/risk/decline-timing.ts";
import { cacheAcquirerAccounts } from "./platform/acquirer-account-cache.ts";
import { startClock, type Clock } from "./platform/clock.ts";
import { keyFiles, type AcquirerAccess } from "./platform/config.ts";
import type { Log } from "./platform/log.ts";
import { checkServerKeys, openServerKeys } from "./platform/server-keys.ts";
import { stackOf } from "./platform/stack-of.ts";
import { openDatabase, type Database } from "./platform/storage/database.ts";
import { migrate } from "./platform/storage/migrate.ts";
import { watchNodes } from "./platform/storage/nodes.ts";
import type { ServiceConfig } from "./service-config.ts";
import { storedFunctions } from "./stored-functions.ts";
import { countsOf } from "./telemetry/pool-gauges.ts";
import { createReadiness } from "./telemetry/readiness.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";
import { noTracing, type Tracing } from "./telemetry/tracing.ts";
import { startDispatcher } from "./webhooks/dispatcher.ts";
import { realNetwork } from "./webhooks/network.ts";
import { startCardTestingWatch, startSweeper } from "./worker.ts";

export interface Service {
  context: Context;
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** Tests pass a clock that they control. */
  openClock?: (database: Database, log: Log) => Promise<Clock>;
  /** Tests pass a low cost to save time. */
  passwordCost?: PasswordCost;
  /** Off by default. */
  tracing?: Tracing;
  /** Tests pass a short time. Defaults to the time in production. */
  declineStepMs?: number;
  /** Opens connections to the vendors of acquirer accounts. Over HTTP by default. */
  openCall?: OpenCall;
  /** Timeout for requests that move money at acquirer accounts. Tests pass a short time. Defaults to the connector's. */
  moneyTimeoutMs?: number | undefined;
}

/** @throws Error if the database, its lock or a key file isn't available, or if the clock is wrong */
export async function openService(
  config: ServiceConfig,
  log: Log,
  {
    openClock = startClock,
    passwordCost = fullPasswordCost,
    tracing = noTracing,
    declineStepMs = defaultDeclineStepMs,
    openCall,
    moneyTimeoutMs,
  }: ServiceOptions = {},
): Promise<Service> {
  const works = config.role !== "api";
  const telemetry = createTelemetry(config, tracing);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  // Open the key files first, so that a damaged one doesn't leave a database open.
  const files = keyFiles(config.keyDir);
  const keyring = openKeyring(files.vault);
  const keys = openServerKeys(files.server);
  const database = await openDatabase(config.database);
  const { db } = database;
  const clock = await openClock(database, log).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const { now } = clock;
  const warn = (message: string) => log.warn({}, message);
  const connect = <M extends Mode>(access: AcquirerAccess<M>) =>
    connectSandbox({ ...access, observe: telemetry.acquirerRequest(access.mode), now, warn });
  const vault = createVault({
    db: database.vaultPool,
    connectors: { test: connect(config.acquirer), live: config.liveAcquirer && connect(config.liveAcquirer) },
    connections: {
      returnUrl: config.checkoutOrigin,
      moreHosts: config.connectorHosts,
      observe: (mode) => telemetry.acquirerRequest(mode),
      openCall,
      moneyTimeoutMs,
    },
    keyring,
    now,
    warn,
    audit: auditVault({ db, now }, "service"),
  });
  await migrate(database, storedFunctions)
    .then(() => vault.checkKeys())
    .then(() => checkServerKeys(db, keys, files.server))
    .catch(async (error: unknown) => {
      clock.stop();
      await database.close();
      throw error;
    });
  const nodes = watchNodes(database, log);
  const background = new Set<Promise<unknown>>();
  const inBackground: Context["inBackground"] = (what, work) => {
    const guarded = work
      .catch((error: unknown) => log.error({ error: stackOf(error) }, `Background work failed: ${what}`))
      .finally(() => background.delete(guarded));
    background.add(guarded);
  };
  const hashPassword = (password: string) => hashWith(password, passwordCost);
  const onVerified: AuthContext["onVerified"] = (login) => welcome(db, login, now());
  const context: Context = {
    db,
    nodes,
    auth: createAuth({ db, keys, config, log, now, hashPassword, onVerified }),
    hashPassword,
    vault,
    acquirerAccounts: cacheAcquirerAccounts({ db, now }),
    telemetry,
    readiness: createReadiness({ db, nodes, now, log }, database.vaultDb === null ? null : vault),
    claims: createClaims({ db, nodes, now, log }),
    keys,
    network: { ...realNetwork, now },
    config,
    riskSettings: config.risk,
    declineStepMs,
    now,
    random: Math.random,
    log,
    inBackground,
  };

  telemetry.watch(
    { db, nodes, now, log },
    {
      service: countsOf(database.pool),
      vault: database.vaultPool === database.pool ? null : countsOf(database.vaultPool),
    },
  );
  const stops: Stop[] = [startRecovery(context, { again: works })];
  async function close(): Promise<void> {
    await Promise.all(stops.map(async (stop) => stop()));
    while (background.size > 0) await Promise.allSettled(background); // work that ends can start more
    clock.stop();
    await nodes.stop();
    await database.close();
    await tracing.close();
  }
  try {
    if (works) await startWork(context, database, createMailer(config.mail, { dataDir: config.dataDir, log }), stops);
  } catch (error) {
    await close().catch(() => {}); // only the first error is reported
    throw error;
  }
  return { context, close };
}

type Stop = () => void | Promise<void>;

/** @param stops gets what stops each part, also if a later part can't be started */
async function startWork(context: Context, database: Database, mailer: Mailer, stops: Stop[]): Promise<void> {
  stops.push(await startDispatcher(context, database));
  stops.push(await startSendingEmails(context, database, mailer));
  stops.push(startNotifications(context), startSweeper(context), startCardTestingWatch(context));
}
