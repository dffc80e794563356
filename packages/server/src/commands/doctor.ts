/**
 * `oriel doctor`: looks at everything a process needs, changes nothing that a start would not change, and says what to
 * do.
 */
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { sql } from "kysely";
import { createHttpBank, createVault, openKeyring } from "@oriel/vault";
import { auditVault } from "../merchants/audit/audit-vault.ts";
import { machineClocks, maxSkewMs, readSkew, describeSkew } from "../platform/clock.ts";
import {
  keyFiles,
  readDatabaseChoice,
  readDataDir,
  readKeyDir,
  type BankAccess,
  type Config,
} from "../platform/config.ts";
import { readServiceConfig } from "../service-config.ts";
import { openSigningKeyFile, readSigningKey } from "../http/embed/signing-key.ts";
import { checkLiveRoles } from "../live-start.ts";
import { checkServerKeys, openServerKeys } from "../platform/server-keys.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { openDatabase, type Database } from "../platform/storage/database.ts";
import { pendingMigrations } from "../platform/storage/migrate.ts";
import { table, type Command } from "./command.ts";

/** `todo` stands on the same line, for whatever is not ok. */
interface Finding {
  verdict: "ok" | "warning" | "failed" | "skipped";
  found: string;
  todo?: string;
}

interface Patient {
  env: NodeJS.ProcessEnv;
  now: () => Date;
  actor: string;
  /** Null: it cannot be read. */
  config: Config | null;
  /** Null: it cannot be opened. */
  database: Database | null;
  /** Whether the tables are up to date, so that what is in them can be asked. */
  hasTables: boolean;
}

const oldestVersion = 14;
/** More than this is not what NTP leaves. */
const tidySkewMs = 5_000;

export const doctorCommand: Command = {
  name: "doctor",
  takes: [],
  options: {},
  summary: "check the configuration, the database, the keys, the bank and the disk",
  details: "One line for each check, with what to do. The exit code is 1 if anything failed; warnings do not count.",
  run: async ({ env, now, actor, print }) => {
    const patient: Patient = { env, now, actor, config: null, database: null, hasTables: false };
    const checks: [string, (patient: Patient) => Finding | Promise<Finding>][] = [
      ["configuration", checkConfiguration],
      ["disk", checkDisk],
      ["key files", checkKeyFiles],
      ["database", checkDatabase],
      ["database user", checkUser],
      ["tables", checkTables],
      ["clock", checkClock],
      ["vault keys", checkVaultKeys],
      ["service keys", checkServiceKeys],
      ["bank", ({ config }) => checkBank(config?.bank)],
      ["live bank", checkLiveBank],
    ];
    const rows: string[][] = [];
    try {
      for (const [name, check] of checks) {
        const { verdict, found, todo } = await examine(check, patient);
        rows.push([
          verdict === "failed" ? "FAILED" : verdict,
          name,
          todo === undefined ? found : `${found} -> ${todo}`,
        ]);
      }
    } finally {
      await patient.database?.close();
    }
    print(table(rows));
    return rows.some(([verdict]) => verdict === "FAILED") ? 1 : 0;
  },
};

async function examine(check: (patient: Patient) => Finding | Promise<Finding>, patient: Patient): Promise<Finding> {
  try {
    return await check(patient);
  } catch (error) {
    return { verdict: "failed", found: error instanceof Error ? error.message : String(error) };
  }
}

function checkConfiguration(patient: Patient): Finding {
  const config = (patient.config = readServiceConfig(patient.env));
  const proxies = config.trustProxy.length === 0 ? "no proxies trusted" : `proxies ${config.trustProxy.join(", ")}`;
  return {
    verdict: "ok",
    found: `${config.live ? "live" : "test"} mode, checkout ${config.checkoutOrigin}, ${proxies}`,
  };
}

/** By doing what the service does there: write a file. */
function checkDisk({ env }: Patient): Finding {
  const directory = resolve(readDataDir(env));
  const todo = "make the directory writable for this user, or set ORIEL_DATA_DIR to one that is";
  if (!existsSync(directory)) {
    let nearest = dirname(directory);
    while (!existsSync(nearest)) nearest = dirname(nearest);
    try {
      accessSync(nearest, constants.W_OK);
    } catch {
      return { verdict: "failed", found: `${directory} is not there, and cannot be made`, todo };
    }
    return { verdict: "ok", found: `${directory} will be made at the first start` };
  }
  const probe = join(directory, `.doctor-${process.pid}`);
  try {
    writeFileSync(probe, "x".repeat(4096), { flag: "wx", mode: 0o600 });
  } catch (error) {
    return {
      verdict: "failed",
      found: `${directory} cannot be written: ${error instanceof Error ? error.message : ""}`,
      todo,
    };
  } finally {
    rmSync(probe, { force: true });
  }
  return { verdict: "ok", found: `${directory} can be written` };
}

function checkKeyFiles({ env, config }: Patient): Finding {
  const directory = readKeyDir(env);
  const files = keyFiles(directory);
  const paths = [files.vault, files.server];
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length > 0 && config?.live) {
    return {
      verdict: "failed",
      found: `${missing.join(", ")} missing`,
      todo: "bring them, or `oriel key-files create`",
    };
  }
  if (missing.length === 1)
    return { verdict: "failed", found: `${missing[0]} is missing`, todo: "restore it from a backup" };
  if (missing.length === 2)
    return { verdict: "ok", found: `none in ${resolve(directory)} yet; the first start makes them` };
  // Whoever signs the loader otherwise, or only works on jobs, has no file for it.
  if (existsSync(files.embed)) paths.push(files.embed);
  if (config?.embedSigningKeyFile) {
    readSigningKey(config.embedSigningKeyFile);
    paths.push(config.embedSigningKeyFile);
  }
  const open = paths.filter((path) => (statSync(path).mode & 0o077) !== 0);
  if (open.length > 0)
    return { verdict: "failed", found: `others may read ${open.join(", ")}`, todo: `chmod 600 ${open.join(" ")}` };
  openKeyring(files.vault);
  openServerKeys(files.server);
  if (existsSync(files.embed)) openSigningKeyFile(files.embed);
  return { verdict: "ok", found: `${paths.join(", ")} can be read, by this user only` };
}

async function checkDatabase(patient: Patient): Promise<Finding> {
  const choice = readDatabaseChoice(patient.env);
  if (choice.kind === "pglite" && !existsSync(choice.directory ?? "")) {
    return { verdict: "ok", found: "an embedded one, which the first start makes" };
  }
  const database = await openDatabase(choice);
  patient.database = database;
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(
    database.db,
  );
  const version = rows[0]?.version ?? "";
  const kind = choice.kind === "pglite" ? "embedded, for one process" : "PostgreSQL";
  if (Number.parseInt(version, 10) < oldestVersion) {
    return { verdict: "failed", found: `${kind} ${version}`, todo: `use PostgreSQL ${oldestVersion} or newer` };
  }
  return { verdict: "ok", found: `${kind} ${version} answers` };
}

async function checkUser({ database, config }: Patient): Promise<Finding> {
  if (database === null) return unasked;
  if (database.choice.kind === "pglite") return { verdict: "ok", found: "the embedded database has only one" };
  try {
    await checkLiveRoles(database);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return {
      verdict: config?.live ? "failed" : "warning",
      found: error.message,
      todo: "make the roles of docs/deploy.md",
    };
  }
  return { verdict: "ok", found: "one for the service and one for the vault, each with its own half" };
}

async function checkTables(patient: Patient): Promise<Finding> {
  if (patient.database === null) return unasked;
  const pending = await pendingMigrations(patient.database.db);
  patient.hasTables = pending.length === 0;
  if (patient.hasTables) return { verdict: "ok", found: "up to date" };
  return { verdict: "failed", found: `not there yet: ${pending.join(", ")}`, todo: "oriel migrate" };
}

async function checkClock({ database, now }: Patient): Promise<Finding> {
  if (database === null) return unasked;
  if (database.choice.kind === "pglite") return { verdict: "ok", found: "the embedded database has this machine's" };
  const skewMs = await readSkew(database, { ...machineClocks, wallMs: () => now().getTime() });
  const todo = "set both clocks with NTP";
  if (Math.abs(skewMs) > maxSkewMs)
    return { verdict: "failed", found: `${describeSkew(skewMs)}, so nothing starts`, todo };
  const found = `${Math.round(Math.abs(skewMs))} ms from the database's`;
  return Math.abs(skewMs) > tidySkewMs ? { verdict: "warning", found, todo } : { verdict: "ok", found };
}

/** As a start does: what the database has not seen yet is registered. */
async function checkVaultKeys({ database, hasTables, config, env, now, actor }: Patient): Promise<Finding> {
  const path = keyFiles(readKeyDir(env)).vault;
  if (database === null || !hasTables || config === null) return unasked;
  if (!existsSync(path)) return await checkUnused(database, path);
  const { db, vaultPool } = database;
  const parts = {
    db: vaultPool,
    banks: { test: createHttpBank(config.bank), live: null },
    keyring: openKeyring(path),
    now,
    warn: () => {},
  };
  await createVault({ ...parts, audit: auditVault({ db, now }, actor) }).checkKeys();
  return { verdict: "ok", found: "belong to this database" };
}

/** As a start does, too. */
async function checkServiceKeys({ database, hasTables, env }: Patient): Promise<Finding> {
  const path = keyFiles(readKeyDir(env)).server;
  if (database === null || !hasTables) return unasked;
  if (!existsSync(path)) return await checkUnused(database, path);
  await checkServerKeys(database.db, openServerKeys(path), path);
  return { verdict: "ok", found: "belong to this database" };
}

/** A missing key file is right for a new database, and the worst there is for a used one. */
async function checkUnused({ db }: Database, path: string): Promise<Finding> {
  const session = await db.selectFrom("checkout_session").select("id").limit(1).executeTakeFirst();
  if (session === undefined) return { verdict: "ok", found: "the first start makes them" };
  return {
    verdict: "failed",
    found: `this database is in use, and ${path} is not there`,
    todo: "restore it before anything starts: a new one opens nothing of the old",
  };
}

/** A process without one leaves what was under way there unresolved, and says nothing. */
async function checkLiveBank({ config, database, hasTables }: Patient): Promise<Finding> {
  if (config === null || config.liveBank !== null) return await checkBank(config?.liveBank);
  if (database === null || !hasTables) return unasked;
  const open = database.db
    .selectFrom("attempt")
    .select("id")
    .where("livemode", "=", true)
    .where("status", "=", "processing");
  const sells = database.db.selectFrom("account").select("id").where("acquirer_merchant_id", "is not", null);
  const isMissed = (await open.limit(1).executeTakeFirst()) ?? (await sells.limit(1).executeTakeFirst());
  if (isMissed === undefined) return { verdict: "ok", found: "none, so no live payments" };
  const found = "none here, and there are accounts with a merchant id or live payments under way";
  return { verdict: "warning", found, todo: "set ORIEL_LIVE=1 and the three LIVE_BANK_ variables, in every process" };
}

/** By a question that moves nothing: what became of a reference that never was. */
async function checkBank(bank: BankAccess | null | undefined): Promise<Finding> {
  if (!bank) return unasked;
  try {
    await createHttpBank({ ...bank, questionTimeoutMs: 5_000 }).lookup("authorize", "att_doctor");
  } catch (error) {
    const found = `${bank.url}: ${error instanceof Error ? error.message : String(error)}`;
    const prefix = bank.mode === "live" ? "LIVE_BANK" : "BANK";
    return { verdict: "failed", found, todo: `check ${prefix}_URL and ${prefix}_API_KEY, and that the bank runs` };
  }
  return { verdict: "ok", found: `${bank.url} answers, and knows our key` };
}

const unasked: Finding = { verdict: "skipped", found: "cannot be asked before what failed above works" };
