/**
 * What the environment decides, read once and checked at start. `.env.example` lists every name. `service-config.ts`
 * adds the risk settings.
 *
 * @throws OperatorError with a sentence that names the variable.
 */
import { join, resolve } from "node:path";
import ipaddr from "ipaddr.js";
import type { Mode } from "@oriel/vault";
import type { Rate } from "./limits/rate-limit.ts";
import { OperatorError } from "./operator-error.ts";
import type { DatabaseChoice } from "./storage/database.ts";

export interface Config {
  host: string;
  port: number;
  /** Exact origin of the checkout page, e.g. `http://pay.localhost:4000`. */
  checkoutOrigin: string;
  /**
   * Exact origin of the dashboard, e.g. `http://dashboard.localhost:4000`. Another host than the checkout's: they must
   * not share cookies.
   */
  dashboardOrigin: string;
  /** Where a merchant's server and the bank reach the API, without a path. */
  apiUrl: string;
  dataDir: string;
  /** Where the key files are. The data directory, unless told otherwise. */
  keyDir: string;
  /** What signs the loader, where it is not the key directory's: a PKCS#8 PEM file. */
  embedSigningKeyFile: string | null;
  database: DatabaseChoice;
  /** Test mode's. */
  bank: BankAccess<"test">;
  /** Live mode's. Null: accounts have no acquirer there. Read with live mode on only, so that off means off. */
  liveBank: BankAccess<"live"> | null;
  mail: MailChoice;
  /** trace, debug, info, warn or error. */
  logLevel: string;
  /** May webhooks go to loopback addresses and by http? Development only. */
  webhooksToLoopback: boolean;
  role: "api" | "worker" | "all";
  /** Are live keys let in? What that needs beyond the environment is checked in `live-start.ts`. */
  live: boolean;
  /** Networks whose X-Forwarded-* headers are believed, in CIDR notation. */
  trustProxy: string[];
  /** Open connections, in all and from one client address. A trusted proxy's aren't counted by address. */
  connections: { total: number; perClient: number };
  /**
   * Per account and mode; per address for the frame's endpoints and for signing in to the dashboard, per login there.
   * Null: no limit.
   */
  rateLimits: { api: Rate | null; frame: Rate | null; signIn: Rate | null; dashboard: Rate | null };
  /**
   * Whether a charge goes on without 3-D Secure where the card takes part and its bank cannot be asked: yes with
   * `standard`.
   */
  threeDSecure: "standard" | "strict";
}

export interface MailChoice {
  /** `smtp://user:password@host:587`. Null: into files. */
  smtpUrl: string | null;
  from: string;
}

/** Where a mode's bank is, and what was agreed with it. */
export interface BankAccess<M extends Mode = Mode> {
  mode: M;
  url: string;
  /** The key the bank gave us. */
  apiKey: string;
  /** The key we gave the bank: what it presents when it tells a 3DS result. */
  resultsKey: string;
}

export function readConfig(env: NodeJS.ProcessEnv, role: Config["role"] = "all"): Config {
  const database = readDatabaseChoice(env);
  if (database.kind === "pglite" && role !== "all") {
    throw new OperatorError(
      `--role ${role} needs a database that processes can share. Set DATABASE_URL to a PostgreSQL.`,
    );
  }
  const port = readPort(env, "ORIEL_PORT", 4000);
  const bankPort = readPort(env, "BANK_PORT", 4100);
  const live = readSwitch(env, "ORIEL_LIVE");
  const config: Config = {
    host: env["ORIEL_HOST"] || "127.0.0.1",
    port,
    checkoutOrigin: readOrigin(env, "ORIEL_CHECKOUT_ORIGIN", `http://pay.localhost:${port}`),
    dashboardOrigin: readOrigin(env, "ORIEL_DASHBOARD_ORIGIN", `http://dashboard.localhost:${port}`),
    apiUrl: readOrigin(env, "ORIEL_API_URL", `http://127.0.0.1:${port}`),
    dataDir: readDataDir(env),
    keyDir: readKeyDir(env),
    embedSigningKeyFile: env["ORIEL_EMBED_SIGNING_KEY_FILE"] || null,
    database,
    bank: readBank(env, "test", "BANK", `http://127.0.0.1:${bankPort}`),
    liveBank: live ? readLiveBank(env) : null,
    mail: { smtpUrl: readSmtpUrl(env), from: env["ORIEL_MAIL_FROM"] || "Oriel <oriel@localhost>" },
    logLevel: env["ORIEL_LOG_LEVEL"] || "info",
    webhooksToLoopback: readSwitch(env, "ORIEL_WEBHOOKS_TO_LOOPBACK"),
    role,
    live,
    trustProxy: readNetworks(env, "ORIEL_TRUST_PROXY"),
    connections: {
      total: readCount(env, "ORIEL_MAX_CONNECTIONS", 8_192, "connections"),
      perClient: readCount(env, "ORIEL_MAX_CONNECTIONS_PER_CLIENT", 256, "connections"),
    },
    rateLimits: {
      api: readRate(env, "ORIEL_RATE", { perSecond: 100, burst: 500 }),
      frame: readRate(env, "ORIEL_FRAME_RATE", { perSecond: 10, burst: 100 }),
      signIn: readRate(env, "ORIEL_SIGN_IN_RATE", { perSecond: 1, burst: 60 }),
      dashboard: readRate(env, "ORIEL_DASHBOARD_RATE", { perSecond: 20, burst: 200 }),
    },
    threeDSecure: readThreeDSecure(env),
  };
  refuseSharedHosts(config);
  if (config.live) refuseDevelopment(config);
  return config;
}

/** For commands that need no more than the database. */
export function readDatabaseChoice(env: NodeJS.ProcessEnv): DatabaseChoice {
  const url = env["DATABASE_URL"];
  const vaultUrl = env["VAULT_DATABASE_URL"];
  const prepares = readSwitch(env, "ORIEL_PREPARED_STATEMENTS", true);
  if (url) return { kind: "postgres", url, ...(vaultUrl ? { vaultUrl } : {}), ...(prepares ? {} : { prepares }) };
  if (vaultUrl)
    throw new OperatorError(
      "VAULT_DATABASE_URL is for the vault's role on PostgreSQL. Set DATABASE_URL too, or unset it.",
    );
  return { kind: "pglite", directory: join(readDataDir(env), "pglite") };
}

/** Where the key files are. */
export function readKeyDir(env: NodeJS.ProcessEnv): string {
  return env["ORIEL_KEY_DIR"] || readDataDir(env);
}

/** The files in it: the vault's keys, the service's own, and what signs the loader. */
export function keyFiles(keyDir: string): { vault: string; server: string; embed: string } {
  const file = (name: string) => join(keyDir, `${name}.keys.json`);
  return { vault: file("vault"), server: file("server"), embed: file("embed") };
}

export function readDataDir(env: NodeJS.ProcessEnv): string {
  return env["ORIEL_DATA_DIR"] || ".oriel";
}

/** @throws OperatorError */
export function readPort(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name];
  if (!text) return fallback;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535)
    throw new OperatorError(`${name} is ${JSON.stringify(text)}; it must be a port, 1 to 65535.`);
  return port;
}

function readOrigin(env: NodeJS.ProcessEnv, name: string, fallback: string): string {
  const text = env[name] || fallback;
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new OperatorError(
      `${name} is ${JSON.stringify(text)}; it must be an origin such as https://pay.example.com, without a path or a trailing slash.`,
    );
  }
  return text;
}

function readLiveBank(env: NodeJS.ProcessEnv): BankAccess<"live"> | null {
  if (env["LIVE_BANK_URL"]) return readBank(env, "live", "LIVE_BANK", "");
  if (!env["LIVE_BANK_API_KEY"] && !env["LIVE_BANK_RESULTS_KEY"]) return null;
  throw new OperatorError("LIVE_BANK_URL is missing beside the live bank's keys. Set it, or unset them.");
}

/** `<prefix>_URL`, `<prefix>_API_KEY`, `<prefix>_RESULTS_KEY`. */
function readBank<M extends Mode>(env: NodeJS.ProcessEnv, mode: M, prefix: string, fallbackUrl: string): BankAccess<M> {
  return {
    mode,
    url: readOrigin(env, `${prefix}_URL`, fallbackUrl),
    apiKey: readSecret(env, `${prefix}_API_KEY`),
    resultsKey: readSecret(env, `${prefix}_RESULTS_KEY`),
  };
}

/** With a password in it, so it is told nowhere. */
function readSmtpUrl(env: NodeJS.ProcessEnv): string | null {
  const text = env["SMTP_URL"];
  if (!text) return null;
  if (URL.canParse(text) && ["smtp:", "smtps:"].includes(new URL(text).protocol)) return text;
  throw new OperatorError("SMTP_URL must be an address such as smtp://user:password@mail.example.com:587.");
}

/** Which host a request asked is what tells the pages, the dashboard and the API apart. */
function refuseSharedHosts({ checkoutOrigin, dashboardOrigin, apiUrl }: Config): void {
  const hosts = [checkoutOrigin, dashboardOrigin, apiUrl].map((origin) => new URL(origin).host);
  if (new Set(hosts).size === hosts.length) return;
  throw new OperatorError(
    "ORIEL_CHECKOUT_ORIGIN, ORIEL_DASHBOARD_ORIGIN and ORIEL_API_URL must have three different hosts: each is kept out of the others' reach.",
  );
}

function readSecret(env: NodeJS.ProcessEnv, name: string): string {
  const secret = env[name] ?? "";
  if (secret.length < 16)
    throw new OperatorError(
      `${name} is missing or shorter than 16 characters. It is agreed with the bank; \`npm start\` makes one for the sandbox bank.`,
    );
  return secret;
}

function readThreeDSecure(env: NodeJS.ProcessEnv): Config["threeDSecure"] {
  const text = env["ORIEL_THREE_D_SECURE"] || "standard";
  if (text !== "standard" && text !== "strict") {
    throw new OperatorError(`ORIEL_THREE_D_SECURE is ${JSON.stringify(text)}; it must be standard or strict.`);
  }
  return text;
}

/** A switch that was set to something else was meant to do something. */
function readSwitch(env: NodeJS.ProcessEnv, name: string, isOn = false): boolean {
  const text = env[name] || (isOn ? "1" : "0");
  if (text !== "0" && text !== "1") throw new OperatorError(`${name} is ${JSON.stringify(text)}; it must be 1 or 0.`);
  return text === "1";
}

/** Only networks: "everyone" and "so many hops" both believe a header that any client can write. */
function readNetworks(env: NodeJS.ProcessEnv, name: string): string[] {
  const networks = (env[name] ?? "").split(",").map((network) => network.trim());
  if (networks.join("") === "") return [];
  for (const network of networks) {
    if (ipaddr.isValidCIDR(network) && !network.endsWith("/0")) continue;
    throw new OperatorError(
      `${name} holds ${JSON.stringify(network)}; it must be a list of your proxies' networks such as 10.0.0.0/8,2001:db8::/32. Everyone, and a number of hops, cannot be told: any client could then write its own address.`,
    );
  }
  return networks;
}

/** `<prefix>_LIMIT` a second, `<prefix>_BURST` at once. */
function readRate(env: NodeJS.ProcessEnv, prefix: string, fallback: Rate): Rate | null {
  if (env[`${prefix}_LIMIT`] === "off") return null;
  const perSecond = readCount(env, `${prefix}_LIMIT`, fallback.perSecond);
  const burst = readCount(env, `${prefix}_BURST`, fallback.burst);
  if (burst > perSecond * 3600) {
    throw new OperatorError(`${prefix}_BURST is ${burst}; it must be at most an hour's worth, ${perSecond * 3600}.`);
  }
  return { perSecond, burst };
}

function readCount(env: NodeJS.ProcessEnv, name: string, fallback: number, what = "requests"): number {
  const text = env[name];
  if (!text) return fallback;
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) {
    const off = name.endsWith("_LIMIT") ? ", or off" : "";
    throw new OperatorError(`${name} is ${JSON.stringify(text)}; it must be a number of ${what}, 1 to 999999${off}.`);
  }
  return count;
}

/** Live mode, as far as the environment tells. Nothing has been made on the disk yet. */
function refuseDevelopment(config: Config): void {
  if (config.database.kind !== "postgres") {
    throw new OperatorError(
      "ORIEL_LIVE=1 needs a PostgreSQL: the embedded database is for test mode. Set DATABASE_URL.",
    );
  }
  if (config.database.vaultUrl === undefined) {
    throw new OperatorError(
      "ORIEL_LIVE=1 keeps cards out of the service's own reach: give the vault a role of its own, and set VAULT_DATABASE_URL (docs/deploy.md).",
    );
  }
  if (resolve(config.keyDir) === resolve(config.dataDir)) {
    throw new OperatorError(
      "ORIEL_LIVE=1 uses no key files of the data directory: those are for development. Make some with `oriel key-files create DIRECTORY`, and set ORIEL_KEY_DIR.",
    );
  }
  const origins = {
    ORIEL_CHECKOUT_ORIGIN: config.checkoutOrigin,
    ORIEL_DASHBOARD_ORIGIN: config.dashboardOrigin,
    ORIEL_API_URL: config.apiUrl,
    BANK_URL: config.bank.url,
    ...(config.liveBank && { LIVE_BANK_URL: config.liveBank.url }),
  };
  for (const [name, origin] of Object.entries(origins)) {
    if (!origin.startsWith("https://"))
      throw new OperatorError(`ORIEL_LIVE=1 needs https everywhere, and ${name} is ${JSON.stringify(origin)}.`);
  }
  refuseSharedBank(config);
  if (config.mail.smtpUrl === null) {
    throw new OperatorError(
      "ORIEL_LIVE=1 needs SMTP_URL: without it, mail is written to files, which is for development.",
    );
  }
  if (config.webhooksToLoopback) {
    throw new OperatorError("ORIEL_LIVE=1 sends no webhooks to loopback addresses. Unset ORIEL_WEBHOOKS_TO_LOOPBACK.");
  }
}

/** What one mode's bank knows must not open the other's door: not its address, and no key of it in any place. */
function refuseSharedBank({ bank, liveBank }: Config): void {
  if (liveBank === null) return;
  const testKeys = [bank.apiKey, bank.resultsKey];
  if (bank.url !== liveBank.url && !testKeys.includes(liveBank.apiKey) && !testKeys.includes(liveBank.resultsKey))
    return;
  throw new OperatorError(
    "Test mode and live mode must share no bank and no key: give LIVE_BANK_URL, LIVE_BANK_API_KEY and LIVE_BANK_RESULTS_KEY values that no BANK_ variable has.",
  );
}
