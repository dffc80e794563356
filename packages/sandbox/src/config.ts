/** Reads the bank's configuration from the environment. Errors say which variable to set and how. */
import type { AdyenOptions } from "./adyen/adyen.ts";
import type { WebhookOptions } from "./adyen/notifier.ts";
import { isHmacKey } from "./adyen/signature.ts";
import type { BankOptions } from "./bank.ts";

export interface BankConfig {
  host: string;
  port: number;
  bank: Pick<
    BankOptions,
    "origin" | "apiKey" | "resultsKey" | "dataDirectory" | "idleWithinMs" | "decoupledAfterMs" | "adyen"
  >;
}

/** Its message is for the person who starts the bank. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(env: Environment): BankConfig {
  const port = readPort(env["BANK_PORT"] || "4100");
  const adyen = readAdyen(env);
  return {
    host: env["BANK_HOST"] || "127.0.0.1",
    port,
    bank: {
      origin: readOrigin(env["BANK_ORIGIN"] || `http://bank.localhost:${port}`),
      apiKey: readKey(env["BANK_API_KEY"], "BANK_API_KEY", "the key that the acquirer's client presents"),
      resultsKey: readKey(
        env["BANK_RESULTS_KEY"],
        "BANK_RESULTS_KEY",
        "the key that the bank presents when it reports a 3DS result",
      ),
      dataDirectory: env["BANK_DATA_DIR"] || undefined,
      idleWithinMs: readMs(env["BANK_IDLE_MS"], "BANK_IDLE_MS"),
      decoupledAfterMs: readMs(env["BANK_DECOUPLED_MS"], "BANK_DECOUPLED_MS"),
      ...(adyen === null ? {} : { adyen }),
    },
  };
}

/** Null: without the simulator of Adyen. */
function readAdyen(env: Environment): AdyenOptions | null {
  const key = env["BANK_ADYEN_API_KEY"];
  if (key === undefined || key === "") {
    const useless = Object.keys(env).find((name) => name.startsWith("BANK_ADYEN_") && env[name]);
    if (useless === undefined) return null;
    throw new ConfigError(`${useless} needs BANK_ADYEN_API_KEY, which turns on the simulator of Adyen.`);
  }
  const merchantAccount = env["BANK_ADYEN_MERCHANT_ACCOUNT"] || "Sandbox";
  if (!/^\w{1,80}$/.test(merchantAccount))
    throw new ConfigError("BANK_ADYEN_MERCHANT_ACCOUNT must be 1 to 80 letters, digits and underscores.");
  const webhook = readWebhook(env);
  return {
    apiKey: readKey(key, "BANK_ADYEN_API_KEY", "the key that Adyen's client presents"),
    merchantAccount,
    ...(webhook === null ? {} : { webhook }),
  };
}

/** Null: without notifications. */
function readWebhook(env: Environment): WebhookOptions | null {
  const url = env["BANK_ADYEN_WEBHOOK_URL"] || "";
  const hmacKey = env["BANK_ADYEN_HMAC_KEY"] || "";
  const disorder = env["BANK_ADYEN_DISORDER_MS"];
  if (url === "" && hmacKey === "" && !disorder) return null;
  const target = URL.canParse(url) ? new URL(url) : null;
  // `fetch` refuses a URL with credentials.
  if (target === null || !/^https?:$/.test(target.protocol) || target.username !== "" || target.password !== "")
    throw new ConfigError(
      "BANK_ADYEN_WEBHOOK_URL must be the http(s) URL to which notifications are sent, without credentials.",
    );
  if (!isHmacKey(hmacKey))
    throw new ConfigError("BANK_ADYEN_HMAC_KEY must be 32 bytes in hex. Notifications are signed with it.");
  const maxDelayMs = readMs(disorder, "BANK_ADYEN_DISORDER_MS");
  return {
    url,
    hmacKey,
    ...(maxDelayMs === undefined ? {} : { disorder: { maxDelayMs, duplicates: sentTwice, reorder: true } }),
  };
}

/** Probability that a notification is sent twice, if the webhook is disordered. */
const sentTwice = 0.2;

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new ConfigError("BANK_PORT must be a port number from 1 to 65535.");
  return port;
}

function readOrigin(text: string): string {
  const isOrigin = URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);
  if (!isOrigin)
    throw new ConfigError("BANK_ORIGIN must be an origin without a path, such as http://bank.localhost:4100.");
  return text;
}

function readKey(text: string | undefined, name: string, meaning: string): string {
  if (text === undefined || text === "")
    throw new ConfigError(`Set ${name} to ${meaning}. The bank can't start without this key.`);
  if (!/^[\x21-\x7e]{1,500}$/.test(text))
    throw new ConfigError(`${name} must be 1 to 500 visible ASCII characters without spaces.`);
  return text;
}

/** Undefined: the bank's default. */
function readMs(text: string | undefined, name: string): number | undefined {
  if (text === undefined || text === "") return undefined;
  const ms = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (ms < 1 || ms > 3_600_000) throw new ConfigError(`${name} must be a number of milliseconds from 1 to 3600000.`);
  return ms;
}
