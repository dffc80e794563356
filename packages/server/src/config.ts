/**
 * What the environment decides, read once and checked at start. `.env.example` lists every name.
 *
 * @throws ConfigError with a sentence that names the variable.
 */
import { join } from "node:path";
import { StartError } from "./start-error.ts";
import type { DatabaseChoice } from "./storage/database.ts";

export interface Config {
  host: string;
  port: number;
  /** Exact origin of the checkout page, e.g. `http://pay.localhost:4000`. */
  checkoutOrigin: string;
  /** Where a merchant's server and the bank reach the API, without a path. */
  apiUrl: string;
  dataDir: string;
  database: DatabaseChoice;
  bank: { url: string; apiKey: string; /** What the bank presents when it tells a 3DS result. */ resultsKey: string };
  /** trace, debug, info, warn or error. */
  logLevel: string;
  /** May webhooks go to loopback addresses and by http? Development only. */
  webhooksToLoopback: boolean;
  role: "api" | "worker" | "all";
}

export class ConfigError extends StartError {
  override readonly name = "ConfigError";
}

export function readConfig(env: NodeJS.ProcessEnv, role: Config["role"] = "all"): Config {
  if (env["ORIEL_LIVE"] === "1") {
    throw new ConfigError("ORIEL_LIVE=1: this version takes test payments only. Unset ORIEL_LIVE.");
  }
  const database = readDatabaseChoice(env);
  if (database.kind === "pglite" && role !== "all") {
    throw new ConfigError(`--role ${role} needs a database that processes can share. Set DATABASE_URL to a PostgreSQL.`);
  }
  const port = readPort(env, "ORIEL_PORT", 4000);
  const bankPort = readPort(env, "BANK_PORT", 4100);
  return {
    host: env["ORIEL_HOST"] || "127.0.0.1",
    port,
    checkoutOrigin: readOrigin(env, "ORIEL_CHECKOUT_ORIGIN", `http://pay.localhost:${port}`),
    apiUrl: readOrigin(env, "ORIEL_API_URL", `http://127.0.0.1:${port}`),
    dataDir: readDataDir(env),
    database,
    bank: {
      url: readOrigin(env, "BANK_URL", `http://127.0.0.1:${bankPort}`),
      apiKey: readSecret(env, "BANK_API_KEY"),
      resultsKey: readSecret(env, "BANK_RESULTS_KEY"),
    },
    logLevel: env["ORIEL_LOG_LEVEL"] || "info",
    webhooksToLoopback: env["ORIEL_WEBHOOKS_TO_LOOPBACK"] === "1",
    role,
  };
}

/** For commands that need no more than the database. */
export function readDatabaseChoice(env: NodeJS.ProcessEnv): DatabaseChoice {
  const url = env["DATABASE_URL"];
  return url ? { kind: "postgres", url } : { kind: "pglite", directory: join(readDataDir(env), "pglite") };
}

function readDataDir(env: NodeJS.ProcessEnv): string {
  return env["ORIEL_DATA_DIR"] || ".oriel";
}

/** @throws ConfigError */
export function readPort(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name];
  if (!text) return fallback;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new ConfigError(`${name} is ${JSON.stringify(text)}; it must be a port, 1 to 65535.`);
  return port;
}

function readOrigin(env: NodeJS.ProcessEnv, name: string, fallback: string): string {
  const text = env[name] || fallback;
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new ConfigError(
      `${name} is ${JSON.stringify(text)}; it must be an origin such as https://pay.example.com, without a path or a trailing slash.`,
    );
  }
  return text;
}

function readSecret(env: NodeJS.ProcessEnv, name: string): string {
  const secret = env[name] ?? "";
  if (secret.length < 16)
    throw new ConfigError(
      `${name} is missing or shorter than 16 characters. It is agreed with the bank; \`npm start\` makes one.`,
    );
  return secret;
}
