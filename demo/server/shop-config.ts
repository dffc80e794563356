/**
 * The shop's settings: where it listens, where the payment service is, and its two secrets. They come from the
 * environment, or otherwise from the file that `ORIEL_DEMO_ENV` names, which `npm start` writes. A missing or invalid
 * setting is an error that names it, never its value.
 */
import { readFileSync } from "node:fs";

export interface ShopConfig {
  host: string;
  port: number;
  /** The shop's origin in the customer's browser. Sessions allow iframes on this origin only. */
  origin: string;
  /** URL at which this server reaches the API. */
  apiUrl: string;
  /** URL of the payment page and the loader for the customer's browser. */
  checkoutOrigin: string;
  secretKey: string;
  webhookSecret: string;
  /** Folder for the orders. Null keeps them in memory. */
  dataDir: string | null;
}

/** @throws Error that names the setting and how to set it */
export function readShopConfig(env: Readonly<Record<string, string | undefined>>): ShopConfig {
  const file = env["ORIEL_DEMO_ENV"]
    ? parseEnvFile(readFileSync(env["ORIEL_DEMO_ENV"], "utf8"))
    : new Map<string, string>();
  const setting = (name: string) => env[name] || file.get(name);
  const required = (name: string) => {
    const value = setting(name);
    if (!value) throw new Error(`${name} is not set. \`npm start\` writes it to the file that ORIEL_DEMO_ENV names.`);
    return value;
  };
  const port = readPort(setting("SHOP_PORT") ?? "4242");
  return {
    host: setting("SHOP_HOST") ?? "127.0.0.1",
    port,
    origin: readOrigin("SHOP_ORIGIN", setting("SHOP_ORIGIN") ?? `http://shop.localhost:${port}`),
    apiUrl: readOrigin("ORIEL_API_URL", required("ORIEL_API_URL")),
    checkoutOrigin: readOrigin("ORIEL_CHECKOUT_ORIGIN", required("ORIEL_CHECKOUT_ORIGIN")),
    secretKey: required("ORIEL_SECRET_KEY"),
    webhookSecret: required("SHOP_WEBHOOK_SECRET"),
    dataDir: setting("SHOP_DATA_DIR") ?? null,
  };
}

/** Parses `KEY=value` lines. Blank lines and lines that start with # are ignored. */
function parseEnvFile(text: string): Map<string, string> {
  return new Map(
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#") && line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1).trim()]),
  );
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Error("SHOP_PORT must be a port number.");
}

function readOrigin(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && (url.protocol === "http:" || url.protocol === "https:") && url.href === `${url.origin}/`)
    return url.origin;
  throw new Error(`${name} must be an origin, as in http://shop.localhost:4242.`);
}
