/**
 * `oriel-server doctor` checks everything a process needs and says how to fix any problems. It makes only changes that
 * starting the service would also make.
 */
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { table, type Command } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { connectSandbox, createAcquirerCredentials, createVault, openKeyring, readKeyring } from "@oriel/vault";
import { openSigningKeyFile, readSigningKey } from "../http/embed/signing-key.ts";
import { auditVault } from "../merchants/audit/audit-vault.ts";
import { machineClocks, maxSkewMs, readSkew, describeSkew } from "../platform/clock.ts";
import {
  keyFiles,
  readDatabaseChoice,
  readDataDir,
  readKeyDir,
  type AcquirerAccess,
  type Config,
} from "../platform/config.ts";
import { checkLiveRoles } from "../platform/live-start.ts";
import { messageOf } from "../platform/message-of.ts";
import { checkServerKeys, openServerKeys } from "../platform/server-keys.ts";
import { openDatabase, type Database } from "../platform/storage/database.ts";
import { pendingChanges } from "../platform/storage/migrate.ts";
import { sameOwner } from "../platform/storage/owned-by.ts";
import { readServiceConfig } from "../service-config.ts";
import { storedFunctions } from "../stored-functions.ts";
import { describeDatabase, readServerVersion } from "./describe-database.ts";
import { checkAcquirerAccounts } from "./doctor/check-acquirer-accounts.ts";
import { checkApiUrl } from "./doctor/check-api-url.ts";
import { checkMailServer, checkQueuedEmails } from "./doctor/check-emails.ts";
import { checkNodes } from "./doctor/check-nodes.ts";
import type { Finding } from "./doctor/finding.ts";

interface Context {
  env: NodeJS.ProcessEnv;
  now: () => Date;
  actor: string;
  /** Null if it can't be read. */
  config: Config | null;
  /** Null if it can't be opened. */
  database: Database | null;
  /** Whether the schema is up to date, so that the tables can be queried. */
  hasTables: boolean;
}

/** Clocks synchronized by NTP differ by less than this. */
const tidySkewMs = 5_000;

export const doctorCommand: Command = {
  name: "doctor",
  takes: [],
  options: {},
  summary: "Check the configuration, disk, keys, database, acquirers, API URL and mail",
  details: `Prints one line per check and says how to fix any problem. Exits with code 1 if a check fails. Warnings don't affect
the exit code.`,
  run: async ({ env, now, actor, print }) => {
    const context: Context = { env, now, actor, config: null, database: null, hasTables: false };
    const checks: [string, Check][] = [
      ["configuration", checkConfiguration],
      ["disk", checkDisk],
      ["key files", checkKeyFiles],
      ["database", checkDatabase],
      ["database user", checkUser],
      ["tables", checkTables],
      ["nodes", ({ database, hasTables }) => (database === null || !hasTables ? null : checkNodes(database))],
      ["clock", checkClock],
      ["vault keys", checkVaultKeys],
      ["service keys", checkServiceKeys],
      ["acquirer", ({ config, now }) => checkAcquirer(config?.acquirer, now)],
      ["live acquirer", checkLiveAcquirer],
      ["acquirer accounts", checkAccounts],
      ["API URL", checkCallbacks],
      ["mail", ({ config }) => (config === null ? skipped : checkMailServer(config))],
      ["emails", checkEmails],
    ];
    const rows: string[][] = [];
    try {
      for (const [name, check] of checks) {
        const finding = await runCheck(check, context);
        if (finding === null) continue;
        const { verdict, found, todo } = finding;
        rows.push([
          verdict === "failed" ? "FAILED" : verdict,
          name,
          todo === undefined ? found : `${found} -> ${todo}`,
        ]);
      }
    } finally {
      await context.database?.close();
    }
    print(table(rows));
    return rows.some(([verdict]) => verdict === "FAILED") ? 1 : 0;
  },
};

/** Returns null if it doesn't apply. */
type Check = (context: Context) => Finding | null | Promise<Finding | null>;

async function runCheck(check: Check, context: Context): Promise<Finding | null> {
  try {
    return await check(context);
  } catch (error) {
    return { verdict: "failed", found: messageOf(error) };
  }
}

function checkConfiguration(context: Context): Finding {
  const config = (context.config = readServiceConfig(context.env));
  const proxies =
    config.trustProxy.length === 0 ? "no trusted proxies" : `trusted proxies ${config.trustProxy.join(", ")}`;
  return {
    verdict: "ok",
    found: `${config.live ? "live" : "test"} mode, checkout ${config.checkoutOrigin}, ${proxies}`,
  };
}

/** Checks the data directory by writing a file there, as the service does. */
function checkDisk({ env }: Context): Finding {
  const directory = resolve(readDataDir(env));
  const todo = "make it writable for this user, or set ORIEL_DATA_DIR to a writable directory";
  if (!existsSync(directory)) {
    let nearest = dirname(directory);
    while (!existsSync(nearest)) nearest = dirname(nearest);
    try {
      accessSync(nearest, constants.W_OK);
    } catch {
      return { verdict: "failed", found: `${directory} doesn't exist and can't be created`, todo };
    }
    return { verdict: "ok", found: `${directory} will be created when the service first starts` };
  }
  const probe = join(directory, `.doctor-${process.pid}`);
  try {
    writeFileSync(probe, "x".repeat(4096), { flag: "wx", mode: 0o600 });
  } catch (error) {
    return {
      verdict: "failed",
      found: `${directory} isn't writable: ${error instanceof Error ? error.message : ""}`,
      todo,
    };
  } finally {
    rmSync(probe, { force: true });
  }
  return { verdict: "ok", found: `${directory} is writable` };
}

function checkKeyFiles({ env, config }: Context): Finding {
  const directory = readKeyDir(env);
  const files = keyFiles(directory);
  const paths = [files.vault, files.server];
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length > 0 && config?.live) {
    return {
      verdict: "failed",
      found: `missing: ${missing.join(", ")}`,
      todo: "copy them here, or run `oriel-server key-files create`",
    };
  }
  if (missing.length === 1)
    return { verdict: "failed", found: `${missing[0]} is missing`, todo: "restore it from a backup" };
  if (missing.length === 2)
    return {
      verdict: "ok",
      found: `none in ${resolve(directory)} yet; they will be created when the service first starts`,
    };
  // This file is missing if the loader is signed with another key, or if the process is only a worker.
  if (existsSync(files.embed)) paths.push(files.embed);
  if (config?.embedSigningKeyFile) {
    readSigningKey(config.embedSigningKeyFile);
    paths.push(config.embedSigningKeyFile);
  }
  const open = paths.filter((path) => (statSync(path).mode & 0o077) !== 0);
  if (open.length > 0)
    return {
      verdict: "failed",
      found: `readable by other users: ${open.join(", ")}`,
      todo: `chmod 600 ${open.join(" ")}`,
    };
  openKeyring(files.vault);
  openServerKeys(files.server);
  if (existsSync(files.embed)) openSigningKeyFile(files.embed);
  return { verdict: "ok", found: `${paths.join(", ")} are readable by this user only` };
}

async function checkDatabase(context: Context): Promise<Finding> {
  const choice = readDatabaseChoice(context.env);
  if (choice.kind === "pglite" && !existsSync(choice.directory ?? "")) {
    return { verdict: "ok", found: "the embedded database will be created when the service first starts" };
  }
  const database = await openDatabase(choice);
  context.database = database;
  const found = `${await describeDatabase(database)} is reachable`;
  if (database.vaultDb === null) return { verdict: "ok", found };
  return {
    verdict: "ok",
    found: `${found}, and the vault's own database on PostgreSQL ${await readServerVersion(database.vaultDb)}`,
  };
}

async function checkUser({ database, config }: Context): Promise<Finding> {
  if (database === null) return skipped;
  if (database.choice.kind === "pglite") return { verdict: "ok", found: "doesn't apply to the embedded database" };
  try {
    await checkLiveRoles(database);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return {
      verdict: config?.live ? "failed" : "warning",
      found: error.message,
      todo: "create the roles described in docs/deploy.md",
    };
  }
  return { verdict: "ok", found: "separate roles for the service and the vault" };
}

async function checkTables(context: Context): Promise<Finding> {
  if (context.database === null) return skipped;
  const pending = await pendingChanges(context.database, storedFunctions);
  context.hasTables = pending.length === 0;
  if (context.hasTables) return { verdict: "ok", found: "up to date" };
  return { verdict: "failed", found: `missing: ${pending.join(", ")}`, todo: "run `oriel-server migrate`" };
}

async function checkClock({ database, now }: Context): Promise<Finding> {
  if (database === null) return skipped;
  if (database.choice.kind === "pglite") return { verdict: "ok", found: "doesn't apply to the embedded database" };
  const skewMs = await readSkew(database, { ...machineClocks, wallMs: () => now().getTime() });
  const todo = "synchronize both clocks with NTP";
  if (Math.abs(skewMs) > maxSkewMs)
    return {
      verdict: "failed",
      found: `this machine's clock is ${describeSkew(skewMs)}, so the service won't start`,
      todo,
    };
  const found = `differs from the database's clock by ${Math.round(Math.abs(skewMs))} ms`;
  return Math.abs(skewMs) > tidySkewMs ? { verdict: "warning", found, todo } : { verdict: "ok", found };
}

/** Like starting the service, this registers keys that the database doesn't know yet. */
async function checkVaultKeys({ database, hasTables, config, env, now, actor }: Context): Promise<Finding> {
  const path = keyFiles(readKeyDir(env)).vault;
  if (database === null || !hasTables || config === null) return skipped;
  if (!existsSync(path)) return await checkUnused(database, path);
  const { db, vaultPool } = database;
  const silent = { now, warn: () => {} };
  const connectors = { test: connectSandbox({ ...config.acquirer, ...silent }), live: null };
  const connections = { returnUrl: config.checkoutOrigin };
  const parts = { db: vaultPool, connectors, connections, keyring: openKeyring(path), ...silent };
  await createVault({ ...parts, audit: auditVault({ db, now }, actor) }).checkKeys();
  return { verdict: "ok", found: "match this database" };
}

/** Like starting the service, this registers keys that the database doesn't know yet. */
async function checkServiceKeys({ database, hasTables, env }: Context): Promise<Finding> {
  const path = keyFiles(readKeyDir(env)).server;
  if (database === null || !hasTables) return skipped;
  if (!existsSync(path)) return await checkUnused(database, path);
  await checkServerKeys(database.db, openServerKeys(path), path);
  return { verdict: "ok", found: "match this database" };
}

/** A missing key file is fine for a new database, but fatal for one in use. */
async function checkUnused({ db }: Database, path: string): Promise<Finding> {
  const session = await db.selectFrom("checkout_session").select("id").limit(1).executeTakeFirst();
  if (session === undefined) return { verdict: "ok", found: "they will be created when the service first starts" };
  return {
    verdict: "failed",
    found: `this database is in use, but ${path} is missing`,
    todo: "restore it before you start the service: a new key can't decrypt existing data",
  };
}

/** A process without the default live acquirer silently leaves its payments unresolved, so this warns about it. */
async function checkLiveAcquirer({ config, database, hasTables, now }: Context): Promise<Finding> {
  if (config === null || config.liveAcquirer !== null) return await checkAcquirer(config?.liveAcquirer, now);
  if (database === null || !hasTables) return skipped;
  const open = database.db
    .selectFrom("attempt")
    .innerJoin("decision", (join) =>
      join.onRef("decision.id", "=", "attempt.decision_id").on(sameOwner("decision", "attempt")),
    )
    .select("attempt.id")
    .where("attempt.livemode", "=", true)
    .where("attempt.status", "=", "processing")
    .where("acquirer_account_id", "is", null);
  const sells = database.db.selectFrom("account").select("id").where("acquirer_merchant_id", "is not", null);
  const isMissed = (await open.limit(1).executeTakeFirst()) ?? (await sells.limit(1).executeTakeFirst());
  if (isMissed === undefined)
    return { verdict: "ok", found: "not configured, so live payments need an acquirer account" };
  const found = "not configured for this process, although accounts have merchant IDs or live payments are in progress";
  return { verdict: "warning", found, todo: "set ORIEL_LIVE=1 and the three LIVE_BANK_ variables for every process" };
}

/** Tests the connection by looking up an attempt that doesn't exist, which moves no money. */
async function checkAcquirer(access: AcquirerAccess | null | undefined, now: () => Date): Promise<Finding> {
  if (!access) return skipped;
  try {
    const { acquirer } = connectSandbox({ ...access, queryTimeoutMs: 5_000, now, warn: () => {} });
    await acquirer.unknownOutcome.lookup("authorize", "att_doctor");
  } catch (error) {
    const found = `${access.url}: ${messageOf(error)}`;
    const prefix = access.mode === "live" ? "LIVE_BANK" : "BANK";
    return {
      verdict: "failed",
      found,
      todo: `check ${prefix}_URL and ${prefix}_API_KEY, and that the acquirer is reachable`,
    };
  }
  return { verdict: "ok", found: `${access.url} is reachable and accepts our key` };
}

async function checkAccounts({ database, hasTables, config, env, now, actor }: Context): Promise<Finding> {
  const keyFile = keyFiles(readKeyDir(env)).vault;
  if (database === null || !hasTables || config === null) return skipped;
  if (!existsSync(keyFile)) return { verdict: "skipped", found: "there are no key files yet" };
  const { db, vaultPool } = database;
  const vault = createAcquirerCredentials({
    db: vaultPool,
    keyring: readKeyring(keyFile),
    connections: { moreHosts: config.connectorHosts },
    now,
    audit: auditVault({ db, now }, actor),
  });
  return await checkAcquirerAccounts(db, vault, config);
}

async function checkEmails({ database, hasTables, now }: Context): Promise<Finding> {
  return database === null || !hasTables ? skipped : await checkQueuedEmails(database.db, now());
}

/** Acquirers send 3-D Secure results to this URL. */
async function checkCallbacks({ config, env }: Context): Promise<Finding> {
  const path = keyFiles(readKeyDir(env)).server;
  if (config === null) return skipped;
  if (!existsSync(path)) return { verdict: "skipped", found: "start the service once, then run this command again" };
  return await checkApiUrl(config, openServerKeys(path));
}

const skipped: Finding = { verdict: "skipped", found: "depends on a check that failed above" };
