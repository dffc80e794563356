/**
 * Reads and checks the environment variables once, at startup. `.env.example` lists them all. `service-config.ts` adds
 * the risk settings.
 *
 * @throws OperatorError with a message that names the variable
 */
import { join, resolve } from "node:path";
import ipaddr from "ipaddr.js";
import { OperatorError } from "@oriel/commands/operator-error";
import type { ConnectorName } from "@oriel/protocol/connectors";
import type { Mode } from "@oriel/vault";
import type { Rate } from "./limits/rate-limit.ts";
import type { DatabaseChoice } from "./storage/database.ts";
import { urlOfEachHost } from "./storage/primary-client.ts";

export interface Config {
  host: string;
  port: number;
  /** Exact origin of the checkout page, e.g. `http://pay.localhost:4000`. */
  checkoutOrigin: string;
  /**
   * Exact origin of the dashboard, e.g. `http://dashboard.localhost:4000`. Its host must differ from the checkout's, so
   * that they don't share cookies.
   */
  dashboardOrigin: string;
  /** The base URL at which merchants' servers and the acquirer reach the API, without a path. */
  apiUrl: string;
  dataDir: string;
  /** The directory with the key files. Defaults to the data directory. */
  keyDir: string;
  /** The PKCS#8 PEM file that signs the loader. Null: `embed.keys.json` in the key directory signs it. */
  embedSigningKeyFile: string | null;
  database: DatabaseChoice;
  /** Test mode's acquirer. */
  acquirer: AcquirerAccess<"test">;
  /** Live mode's acquirer. Null: accounts can't take live payments. Read only when live mode is on. */
  liveAcquirer: AcquirerAccess<"live"> | null;
  /**
   * Hosts to which acquirer accounts may send card numbers, besides those of the vendor, each with its port unless
   * that's 443.
   */
  connectorHosts: Record<ConnectorName, string[]>;
  mail: MailChoice;
  /** trace, debug, info, warn or error. */
  logLevel: string;
  /** Whether webhooks may be sent to loopback addresses. For development only. */
  webhooksToLoopback: boolean;
  role: "api" | "worker" | "all";
  /** Where to serve metrics and probes, in every role. Null: nowhere. */
  metrics: { host: string; port: number } | null;
  /** Whether live keys are accepted. `live-start.ts` checks the requirements that aren't environment variables. */
  live: boolean;
  /** Networks whose X-Forwarded-* headers are trusted, in CIDR notation. */
  trustProxy: string[];
  /**
   * Maximum open connections, in total and per client address. A trusted proxy's connections have no limit per address.
   */
  connections: { total: number; perClient: number };
  /** How long a process keeps serving requests after the signal to stop, so that proxies can stop sending them. */
  drainMs: number;
  /**
   * `api` applies per account and mode, `frame` and `signIn` per IP address, `dashboard` per signed-in user. Null: no
   * limit.
   */
  rateLimits: { api: Rate | null; frame: Rate | null; signIn: Rate | null; dashboard: Rate | null };
  /**
   * What happens when 3-D Secure is unavailable for a card that supports it: `standard` charges the card anyway,
   * `strict` declines.
   */
  threeDSecure: "standard" | "strict";
  /** Where to report vulnerabilities, as a `mailto:` or `https:` URL, for `/.well-known/security.txt`. */
  securityContact: string | null;
}

export interface MailChoice {
  /** For example `smtp://user:password@host:587`. Null: emails are written to files. */
  smtpUrl: string | null;
  from: string;
}

/** How to reach the acquirer of a mode. */
export interface AcquirerAccess<M extends Mode = Mode> {
  mode: M;
  url: string;
  /** The API key the acquirer issued to us. */
  apiKey: string;
  /** The key the acquirer authenticates with when it sends a 3-D Secure result. */
  resultsKey: string;
}

export function readConfig(env: NodeJS.ProcessEnv, role: Config["role"] = "all"): Config {
  const database = readDatabaseChoice(env);
  if (database.kind === "pglite" && role !== "all") {
    throw new OperatorError(
      `--role ${role} requires a database that several processes can share. Set DATABASE_URL to a PostgreSQL database.`,
    );
  }
  const port = readPort(env, "ORIEL_PORT", 4000);
  const bankPort = readPort(env, "BANK_PORT", 4100);
  const live = readSwitch(env, "ORIEL_LIVE");
  const config: Config = {
    host: env["ORIEL_HOST"] || "127.0.0.1",
    port,
    checkoutOrigin: readOrigin(env, "ORIEL_CHECKOUT_ORIGIN", `http://pay.localhost:${port}`),
    dashboardOrigin: readDashboardOrigin(env),
    apiUrl: readApiUrl(env),
    dataDir: readDataDir(env),
    keyDir: readKeyDir(env),
    embedSigningKeyFile: env["ORIEL_EMBED_SIGNING_KEY_FILE"] || null,
    database,
    acquirer: readAcquirerAccess(env, "test", "BANK", `http://127.0.0.1:${bankPort}`),
    liveAcquirer: live ? readLiveAcquirer(env) : null,
    connectorHosts: readConnectorHosts(env),
    mail: readMailChoice(env),
    logLevel: env["ORIEL_LOG_LEVEL"] || "info",
    webhooksToLoopback: readSwitch(env, "ORIEL_WEBHOOKS_TO_LOOPBACK"),
    role,
    metrics: readMetricsAddress(env),
    live,
    trustProxy: readNetworks(env, "ORIEL_TRUST_PROXY"),
    connections: {
      total: readCount(env, "ORIEL_MAX_CONNECTIONS", 8_192, "connections"),
      perClient: readCount(env, "ORIEL_MAX_CONNECTIONS_PER_CLIENT", 256, "connections"),
    },
    drainMs: 1_000 * readSeconds(env, "ORIEL_DRAIN_SECONDS"),
    rateLimits: {
      api: readRate(env, "ORIEL_RATE", { perSecond: 100, burst: 500 }),
      frame: readRate(env, "ORIEL_FRAME_RATE", { perSecond: 10, burst: 100 }),
      signIn: readRate(env, "ORIEL_SIGN_IN_RATE", { perSecond: 1, burst: 60 }),
      dashboard: readRate(env, "ORIEL_DASHBOARD_RATE", { perSecond: 20, burst: 200 }),
    },
    threeDSecure: readThreeDSecure(env),
    securityContact: readSecurityContact(env),
  };
  refuseSharedHosts(config);
  if (config.live) refuseDevelopment(config);
  return config;
}

/** For commands that only need the database. */
export function readDatabaseChoice(env: NodeJS.ProcessEnv): DatabaseChoice {
  const url = env["DATABASE_URL"];
  const vaultUrl = env["VAULT_DATABASE_URL"];
  const prepares = readSwitch(env, "ORIEL_PREPARED_STATEMENTS", true);
  refuseOtherDatabase("DATABASE_URL", url);
  refuseOtherDatabase("VAULT_DATABASE_URL", vaultUrl);
  if (url) return { kind: "postgres", url, ...(vaultUrl ? { vaultUrl } : {}), ...(prepares ? {} : { prepares }) };
  if (vaultUrl)
    throw new OperatorError(
      "VAULT_DATABASE_URL only works with PostgreSQL. Set DATABASE_URL as well, or unset VAULT_DATABASE_URL.",
    );
  return { kind: "pglite", directory: join(readDataDir(env), "pglite") };
}

/** The URL contains a password, so the error doesn't quote it. */
function refuseOtherDatabase(name: string, url: string | undefined): void {
  if (!url) return;
  const urls = urlOfEachHost(url);
  // A socket's URL has no host, as in postgres://user:password@/oriel?host=/run/postgresql.
  const isValid =
    urls.length === 1
      ? URL.canParse(url.replace("@/", "@localhost/"))
      : urls.every((one) => URL.canParse(one) && new URL(one).host !== "");
  if (isValid && /^postgres(ql)?:/.test(url)) return;
  throw new OperatorError(
    `${name} isn't the URL of a PostgreSQL database. Set it to a URL such as postgres://user:password@db.example.com:5432/oriel.`,
  );
}

/** For commands that write links to the dashboard. */
export function readDashboardOrigin(env: NodeJS.ProcessEnv): string {
  return readOrigin(env, "ORIEL_DASHBOARD_ORIGIN", `http://dashboard.localhost:${readPort(env, "ORIEL_PORT", 4000)}`);
}

/** For commands that write URLs of the API. */
export function readApiUrl(env: NodeJS.ProcessEnv): string {
  return readOrigin(env, "ORIEL_API_URL", `http://127.0.0.1:${readPort(env, "ORIEL_PORT", 4000)}`);
}

/** For commands that send emails. */
export function readMailChoice(env: NodeJS.ProcessEnv): MailChoice {
  return { smtpUrl: readSmtpUrl(env), from: env["ORIEL_MAIL_FROM"] || "Oriel <oriel@localhost>" };
}

/** The domain of a sender such as `Oriel <oriel@shop.example>`. Null if it has no email address. */
export function senderDomain(from: string): string | null {
  return /^(?:[^<>]*<\s*)?[^\s<>@"]+@([^\s<>@"]+?)(?:\s*>)?$/.exec(from.trim())?.[1]?.toLowerCase() ?? null;
}

/** Reserved domains, which nobody can send from: RFC 2606, 6761, 6762 and 8375, and ICANN's `internal`. */
const reservedDomains =
  /(^|\.)(localhost|local|localdomain|internal|lan|home\.arpa|test|example|invalid|example\.(com|net|org))$/;
const domainPattern = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;

/** Whether the sender's domain can exist. */
export function isRealSender(from: string): boolean {
  const domain = senderDomain(from);
  return domain !== null && domainPattern.test(domain) && !reservedDomains.test(domain);
}

/** For commands that set acquirer accounts. */
export function readConnectorHosts(env: NodeJS.ProcessEnv): Config["connectorHosts"] {
  return { adyen: readHosts(env, "ORIEL_ADYEN_HOSTS") };
}

/** The directory with the key files. */
export function readKeyDir(env: NodeJS.ProcessEnv): string {
  return env["ORIEL_KEY_DIR"] || readDataDir(env);
}

/** Paths of the key files: the vault's keys, the service's keys, and the loader's signing key. */
export function keyFiles(keyDir: string): { vault: string; server: string; embed: string } {
  const file = (name: string) => join(keyDir, `${name}.keys.json`);
  return { vault: file("vault"), server: file("server"), embed: file("embed") };
}

export function readDataDir(env: NodeJS.ProcessEnv): string {
  return env["ORIEL_DATA_DIR"] || ".oriel";
}

function readMetricsAddress(env: NodeJS.ProcessEnv): Config["metrics"] {
  if (!env["ORIEL_METRICS_PORT"]) return null;
  return { host: env["ORIEL_METRICS_HOST"] || "127.0.0.1", port: readPort(env, "ORIEL_METRICS_PORT", 0) };
}

/** @throws OperatorError */
export function readPort(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name];
  if (!text) return fallback;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535)
    throw new OperatorError(`${name} is ${JSON.stringify(text)}; it must be a port number from 1 to 65535.`);
  return port;
}

function readOrigin(env: NodeJS.ProcessEnv, name: string, fallback: string): string {
  const text = env[name] || fallback;
  if (!URL.canParse(text) || new URL(text).origin !== text || !/^https?:/.test(text)) {
    throw new OperatorError(
      `${name} is ${JSON.stringify(text)}; it must be an http or https origin such as https://pay.example.com, without a path or a trailing slash.`,
    );
  }
  return text;
}

function readLiveAcquirer(env: NodeJS.ProcessEnv): AcquirerAccess<"live"> | null {
  if (env["LIVE_BANK_URL"]) return readAcquirerAccess(env, "live", "LIVE_BANK", "");
  if (!env["LIVE_BANK_API_KEY"] && !env["LIVE_BANK_RESULTS_KEY"]) return null;
  throw new OperatorError(
    "A live acquirer key is set, but LIVE_BANK_URL isn't. Set LIVE_BANK_URL, or unset LIVE_BANK_API_KEY and LIVE_BANK_RESULTS_KEY.",
  );
}

/** Reads `<prefix>_URL`, `<prefix>_API_KEY` and `<prefix>_RESULTS_KEY`. */
function readAcquirerAccess<M extends Mode>(
  env: NodeJS.ProcessEnv,
  mode: M,
  prefix: string,
  fallbackUrl: string,
): AcquirerAccess<M> {
  return {
    mode,
    url: readOrigin(env, `${prefix}_URL`, fallbackUrl),
    apiKey: readSecret(env, `${prefix}_API_KEY`),
    resultsKey: readSecret(env, `${prefix}_RESULTS_KEY`),
  };
}

/** The URL contains a password, so the error doesn't quote it. */
function readSmtpUrl(env: NodeJS.ProcessEnv): string | null {
  const text = env["SMTP_URL"];
  if (!text) return null;
  if (URL.canParse(text) && ["smtp:", "smtps:"].includes(new URL(text).protocol)) return text;
  throw new OperatorError("SMTP_URL must be a URL such as smtp://user:password@mail.example.com:587.");
}

/** The Host header decides whether a request is for the checkout page, the dashboard or the API. */
function refuseSharedHosts({ checkoutOrigin, dashboardOrigin, apiUrl }: Config): void {
  const hosts = [checkoutOrigin, dashboardOrigin, apiUrl].map((origin) => new URL(origin).host);
  if (new Set(hosts).size === hosts.length) return;
  throw new OperatorError(
    "ORIEL_CHECKOUT_ORIGIN, ORIEL_DASHBOARD_ORIGIN and ORIEL_API_URL must have three different hosts, so that browsers isolate them from each other.",
  );
}

function readSecret(env: NodeJS.ProcessEnv, name: string): string {
  const secret = env[name] ?? "";
  if (secret.length < 16)
    throw new OperatorError(
      `${name} is missing or shorter than 16 characters. Set the key you agreed on with the acquirer. For the sandbox bank, \`npm start\` creates the key.`,
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

function readSecurityContact(env: NodeJS.ProcessEnv): string | null {
  const text = env["ORIEL_SECURITY_CONTACT"];
  if (!text) return null;
  if (/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text) && URL.canParse(text)) return text;
  throw new OperatorError(
    `ORIEL_SECURITY_CONTACT is ${JSON.stringify(text)}; it must be a URL such as mailto:security@example.com or https://example.com/security.`,
  );
}

/** Rejects other values, such as `true`, so that a mistyped switch isn't ignored. */
function readSwitch(env: NodeJS.ProcessEnv, name: string, isOn = false): boolean {
  const text = env[name] || (isOn ? "1" : "0");
  if (text !== "0" && text !== "1") throw new OperatorError(`${name} is ${JSON.stringify(text)}; it must be 1 or 0.`);
  return text === "1";
}

/** Accepts only networks. Trusting everyone, or a number of hops, would trust a header that any client can set. */
function readNetworks(env: NodeJS.ProcessEnv, name: string): string[] {
  const networks = (env[name] ?? "").split(",").map((network) => network.trim());
  if (networks.join("") === "") return [];
  for (const network of networks) {
    if (ipaddr.isValidCIDR(network) && !network.endsWith("/0")) continue;
    throw new OperatorError(
      `${name} contains ${JSON.stringify(network)}; it must be a list of your proxies' networks, such as 10.0.0.0/8,2001:db8::/32. Don't trust all networks or a number of hops, because any client could then forge its IP address.`,
    );
  }
  return networks;
}

/**
 * Accepts only names, in the form that a URL parser gives them. A certificate then proves who has the host. Nobody else
 * can prove to be this machine or a private address.
 */
function readHosts(env: NodeJS.ProcessEnv, name: string): string[] {
  const hosts = (env[name] ?? "").split(",").map((host) => host.trim());
  if (hosts.join("") === "") return [];
  for (const host of hosts) {
    const url = URL.canParse(`https://${host}/`) ? new URL(`https://${host}/`) : null;
    const labels = url?.hostname.split(".") ?? [];
    const isName = labels.length > 1 && labels.every((label) => /^[\w-]+$/.test(label));
    if (url?.host === host && isName && !ipaddr.isValid(url.hostname) && labels.at(-1) !== "localhost") continue;
    throw new OperatorError(
      `${name} contains ${JSON.stringify(host)}; it must be a list of host names such as adyen-proxy.example.com,proxy.example.com:8443. IP addresses and this machine aren't allowed, because card numbers are sent to these hosts.`,
    );
  }
  return hosts;
}

/** Reads `<prefix>_LIMIT`, in requests per second, and `<prefix>_BURST`. */
function readRate(env: NodeJS.ProcessEnv, prefix: string, fallback: Rate): Rate | null {
  if (env[`${prefix}_LIMIT`] === "off") return null;
  const perSecond = readCount(env, `${prefix}_LIMIT`, fallback.perSecond);
  const burst = readCount(env, `${prefix}_BURST`, fallback.burst);
  if (burst > perSecond * 3600) {
    throw new OperatorError(
      `${prefix}_BURST is ${burst}; it must be at most ${perSecond * 3600}, the number of requests that ${prefix}_LIMIT allows in one hour.`,
    );
  }
  return { perSecond, burst };
}

/** Zero by default. */
function readSeconds(env: NodeJS.ProcessEnv, name: string): number {
  const text = env[name] || "0";
  if (!/^\d{1,3}$/.test(text))
    throw new OperatorError(`${name} is ${JSON.stringify(text)}; it must be a number of seconds from 0 to 999.`);
  return Number(text);
}

function readCount(env: NodeJS.ProcessEnv, name: string, fallback: number, what = "requests"): number {
  const text = env[name];
  if (!text) return fallback;
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) {
    const off = name.endsWith("_LIMIT") ? ", or off" : "";
    throw new OperatorError(
      `${name} is ${JSON.stringify(text)}; it must be a number of ${what} from 1 to 999999${off}.`,
    );
  }
  return count;
}

/** Refuses development settings in live mode. Runs before anything is written to disk. */
function refuseDevelopment(config: Config): void {
  if (config.database.kind !== "postgres") {
    throw new OperatorError(
      "ORIEL_LIVE=1 requires PostgreSQL, because the embedded database is for test mode only. Set DATABASE_URL.",
    );
  }
  if (config.database.vaultUrl === undefined) {
    throw new OperatorError(
      "ORIEL_LIVE=1 requires a separate database role for the vault, so that the service can't read cards. Create one and set VAULT_DATABASE_URL. See docs/deploy.md.",
    );
  }
  if (resolve(config.keyDir) === resolve(config.dataDir)) {
    throw new OperatorError(
      "ORIEL_LIVE=1 doesn't accept key files in the data directory, because those are for development only. Create new key files with `oriel-server key-files create DIRECTORY` and set ORIEL_KEY_DIR.",
    );
  }
  const origins = {
    ORIEL_CHECKOUT_ORIGIN: config.checkoutOrigin,
    ORIEL_DASHBOARD_ORIGIN: config.dashboardOrigin,
    ORIEL_API_URL: config.apiUrl,
    BANK_URL: config.acquirer.url,
    ...(config.liveAcquirer && { LIVE_BANK_URL: config.liveAcquirer.url }),
  };
  for (const [name, origin] of Object.entries(origins)) {
    if (!origin.startsWith("https://"))
      throw new OperatorError(`ORIEL_LIVE=1 requires https, but ${name} is ${JSON.stringify(origin)}.`);
  }
  refuseSharedAcquirer(config);
  if (config.mail.smtpUrl === null) {
    throw new OperatorError(
      "ORIEL_LIVE=1 requires SMTP_URL. Without a mail server, emails are only written to files, which is for development only.",
    );
  }
  refuseDevelopmentSender(config.mail);
  if (config.webhooksToLoopback) {
    throw new OperatorError(
      "ORIEL_LIVE=1 doesn't allow webhooks to loopback addresses. Unset ORIEL_WEBHOOKS_TO_LOOPBACK.",
    );
  }
}

/** Mail servers refuse a sender that can't exist, or deliver it as spam, and nobody notices. */
function refuseDevelopmentSender({ from }: MailChoice): void {
  if (isRealSender(from)) return;
  throw new OperatorError(
    `ORIEL_LIVE=1 requires a real sender of emails, but ORIEL_MAIL_FROM is ${JSON.stringify(from)}. Set it to an address that your mail server may send from, such as Payments <payments@your-domain.com>.`,
  );
}

/** The acquirers of the two modes must have different URLs and share no key, so that neither can act for the other. */
function refuseSharedAcquirer({ acquirer, liveAcquirer }: Config): void {
  if (liveAcquirer === null) return;
  const testKeys = [acquirer.apiKey, acquirer.resultsKey];
  if (
    acquirer.url !== liveAcquirer.url &&
    !testKeys.includes(liveAcquirer.apiKey) &&
    !testKeys.includes(liveAcquirer.resultsKey)
  )
    return;
  throw new OperatorError(
    "Test mode and live mode must use different acquirer URLs and keys. Set LIVE_BANK_URL, LIVE_BANK_API_KEY and LIVE_BANK_RESULTS_KEY to values that differ from those of the BANK_ variables.",
  );
}
