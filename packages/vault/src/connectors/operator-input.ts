/**
 * Reads the settings and credentials that an operator enters for an acquirer account. Unknown fields are refused, because
 * a mistyped setting would be ignored. Errors name the field, and never quote what was entered.
 */
import type { Mode } from "../mode.ts";

/** Settings or credentials are wrong. The message is for the operator and has no secrets. */
export class AcquirerAccountError extends Error {
  override readonly name = "AcquirerAccountError";
  /** What is wrong, such as `settings` or `credentials.api_key`. Null if it's neither. */
  readonly param: string | null;

  constructor(param: string | null, message: string) {
    super(message);
    this.param = param;
  }
}

/** @param rule - What the field must be or do: "must be a number" */
export function wrongField(param: string, rule: string): AcquirerAccountError {
  return new AcquirerAccountError(param, `\`${param.replace(/^.*\./, "")}\` ${rule}.`);
}

/** Returns the fields of an object that has no others. */
export function readFields(
  param: "settings" | "credentials",
  value: unknown,
  known: readonly string[],
): Record<string, unknown> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || Object.keys(value).some((name) => !known.includes(name)))
    throw new AcquirerAccountError(
      param,
      `The ${param} must be an object with no other fields than ${known.join(", ")}.`,
    );
  return value as Record<string, unknown>; // just checked
}

export function readText(param: string, value: unknown, format: RegExp, rule: string): string {
  if (typeof value === "string" && format.test(value)) return value;
  throw wrongField(param, value === undefined ? "is missing" : rule);
}

/** The hosts of a vendor's API, by mode. */
export interface VendorHosts {
  name: string;
  /** Each pattern matches a whole host. */
  patterns: Record<Mode, RegExp>;
  /** The operator's variable with other hosts, such as a proxy, and its value. */
  variable: string;
  more: readonly string[];
}

/**
 * The base URL of a vendor's API. The host must be the vendor's or one of the operator's, with HTTPS, because card numbers
 * and credentials are sent to it. In test mode, a simulator on this machine is allowed too, also with HTTP.
 */
export function readApiUrl(param: string, value: unknown, mode: Mode, vendor: VendorHosts): string {
  const rule = "must be a URL without a user, a query and a trailing slash";
  const text = readText(param, value, /^https?:\/\/[^\s?#@]+[^/\s?#@]$/, rule);
  if (!URL.canParse(text)) throw wrongField(param, rule);
  const { protocol, host, hostname } = new URL(text);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "127.0.0.1";
  if (mode === "test" && isLocal) return text;
  if (protocol !== "https:") throw wrongField(param, "must use https");
  const other = mode === "test" ? "live" : "test";
  if (vendor.patterns[other].test(host)) throw wrongField(param, `is ${vendor.name}'s ${other} environment`);
  if (vendor.patterns[mode].test(host) || vendor.more.includes(host)) return text;
  throw wrongField(
    param,
    `is on ${host}, which isn't a host of ${vendor.name}'s ${mode} environment. Card numbers are sent to this URL, so other hosts must be in ${vendor.variable}`,
  );
}
