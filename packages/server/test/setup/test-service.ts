/**
 * Opens and closes everything that a test needs: the real service on a real database (a new one for each caller, on
 * PGlite or PostgreSQL depending on the test project), the real sandbox bank on a real port, and a clock that tests can
 * move.
 */
import { PGlite } from "@electric-sql/pglite";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { inject } from "vitest";
import { createBank, type BankOptions } from "@oriel/sandbox";
import type { Closers } from "../../../../scripts/test/closers-for.ts";
import { freePort } from "../../../../scripts/test/free-port.ts";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { createApp } from "../../src/app.ts";
import type { Context } from "../../src/http/context.ts";
import { openSigningKey } from "../../src/http/embed/signing-key.ts";
import { createAccount } from "../../src/merchants/accounts/accounts.ts";
import { createApiKey } from "../../src/merchants/accounts/api-keys.ts";
import { readRiskSettings } from "../../src/payments/risk/settings.ts";
import type { Config } from "../../src/platform/config.ts";
import type { DatabaseChoice } from "../../src/platform/storage/database.ts";
import type { Tenant } from "../../src/platform/tenant.ts";
import type { ServiceConfig } from "../../src/service-config.ts";
import { openService, type ServiceOptions } from "../../src/service.ts";
import { writeBuiltPages } from "./built-pages.ts";
import { createClusterDatabase } from "./citus.ts";
import { createDatabase } from "./create-database.ts";

/** The service sends `apiKey` to the bank, and the bank sends `resultsKey` to the service. */
export const bankKeys = { apiKey: "the-key-the-bank-gave-us", resultsKey: "the-key-we-gave-the-bank" };
export const liveBankKeys = { apiKey: "the-key-the-live-bank-gave-us", resultsKey: "the-key-we-gave-the-live-bank" };

/** JSON of any shape: access fields by name and check them with `expect`. */
export interface Json {
  readonly [name: string]: Json;
}

export interface ApiResponse {
  status: number;
  body: Json;
  /** The body, byte for byte. */
  text: string;
  headers: Record<string, unknown>;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Authorization {
  reference: string;
  status: string;
  amount: number;
  requests: number;
  authenticated: boolean;
}

export interface TestService {
  context: Context;
  app: FastifyInstance;
  config: ServiceConfig;
  tenant: Tenant;
  /** The ID of the tenant's account. */
  accountId: string;
  secretKey: string;
  /** Every line the service logged. */
  log: string[];
  /** Every response body of `call` and `frame`. */
  responses: string[];
  /** Calls the API with the secret key. Strings are sent unchanged, and anything else as JSON. */
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  /** Calls the checkout host. */
  frame(method: Method, path: string, body?: unknown, token?: string): Promise<ApiResponse>;
  /** Every authorization in the bank's own records. */
  bankAuthorizations(): Promise<Authorization[]>;
  bankUrl: string;
  moveClock(ms: number): void;
  addTenant(livemode: boolean): Promise<{ tenant: Tenant; accountId: string; secretKey: string }>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  /** Defaults to the machine's, which `moveClock` moves. */
  openClock?: ServiceOptions["openClock"];
  /** `full`: hashing a password costs as much as in production. By default it costs next to nothing. */
  passwordCost?: "full";
  /**
   * Placeholders for the built pages, loader and releases, removed with the service: see `built-pages.ts`. None by
   * default.
   */
  pages?: true;
  embedSigningKeyFile?: string;
  /** A bank that already runs with the keys of `bankKeys`. By default, one is started in this process. */
  bankUrl?: string;
  /** How long the bank started here waits for its cardholders. Defaults to the time in production. */
  bankWaits?: Pick<BankOptions, "creqWithinMs" | "idleWithinMs" | "decoupledAfterMs">;
  webhooksToLoopback?: boolean;
  /** As `ORIEL_THREE_D_SECURE`. Defaults to standard. */
  threeDSecure?: Config["threeDSecure"];
  /** As `ORIEL_RISK`. Defaults to off. */
  risk?: string;
  /** How often the request log is written. Defaults to the time in production. */
  requestLogEveryMs?: number;
  /** How long new customers' declines are held back. Hardly at all by default. */
  declineStepMs?: number;
  /** `api`: no attempt is retried and no sweep runs by itself. */
  role?: "api" | "all";
  /**
   * How long the service waits for the bank to move money, and to respond to status checks. Defaults to the times in
   * production.
   */
  bankTimeoutMs?: number;
  /** An existing database, which the caller removes. A new one by default. */
  database?: DatabaseChoice;
  /** A directory with the key files of that database. New ones by default. */
  keyDir?: string;
  live?: boolean;
  /** Live mode's bank, with `liveBankKeys`. None by default. */
  liveBankUrl?: string;
  trustProxy?: string[];
  /** None by default. */
  rateLimits?: Partial<Config["rateLimits"]>;
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const closers: Closers = [];
  const bankUrl = options.bankUrl ?? (await startBank(closers, options.bankWaits));

  const dataDir = temporaryDirectory((remove) => closers.push(remove));
  const database = options.database ?? (await freshDatabase(closers, inject("migratedTemplate") ?? undefined));

  const built = options.pages ? writeBuiltPages() : null;
  if (built) closers.push(async () => built.remove());

  let clockShiftMs = 0;
  const log: string[] = [];
  const logger = pino({ level: "debug" }, { write: (line: string) => void log.push(line) });
  // The bank sends results to the service over HTTP, so the service has a real port.
  const port = await freePort();
  const config = configOf(options, { port, dataDir, database, bankUrl });
  const now = () => new Date(Date.now() + clockShiftMs);
  const service = await openService(config, logger, {
    openClock: options.openClock ?? (async () => ({ now, stop() {} })),
    ...(options.passwordCost !== "full" && { passwordCost: { memoryKiB: 8, passes: 1 } }),
    declineStepMs: options.declineStepMs ?? 1,
    moneyTimeoutMs: options.bankTimeoutMs,
  });
  closers.push(() => service.close());
  const app = await createApp(service.context, {
    loggerInstance: logger,
    resultsKeys: { test: bankKeys.resultsKey, live: config.liveAcquirer?.resultsKey ?? null },
    trustProxy: config.trustProxy,
    requestLogEveryMs: options.requestLogEveryMs,
    files: built && { ...built, signingKey: () => openSigningKey(config) },
  });
  await app.listen({ port, host: "127.0.0.1" });
  closers.push(() => app.close());

  const first = await addTenant(false);
  const responses: string[] = [];
  const request = async (
    origin: string,
    method: Method,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ) => {
    const response = await send(origin, method, path, body, headers);
    responses.push(response.text);
    return response;
  };
  return {
    context: service.context,
    app,
    config,
    ...first,
    log,
    responses,
    bankUrl,
    addTenant,
    moveClock: (ms) => void (clockShiftMs += ms),
    call: (method, path, body, headers) =>
      request(config.apiUrl, method, path, body, { authorization: `Bearer ${first.secretKey}`, ...headers }),
    frame: (method, path, body, token) =>
      request(
        config.checkoutOrigin,
        method,
        path,
        body,
        token === undefined ? {} : { authorization: `Bearer ${token}` },
      ),
    async bankAuthorizations() {
      const response = await fetch(`${bankUrl}/acquirer/authorizations`, {
        headers: { authorization: `Bearer ${bankKeys.apiKey}` },
      });
      const ledger = (await response.json()) as { authorizations: Authorization[] };
      return ledger.authorizations;
    },
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };

  async function addTenant(livemode: boolean) {
    const { id: accountId, accountNo } = await createAccount(service.context.db, "Test Shop", service.context.now());
    const tenant = { accountNo, livemode };
    if (livemode) {
      const approved = service.context.db.updateTable("account").set({ live_approved_at: service.context.now() });
      await approved.where("account_no", "=", accountNo).execute();
    }
    const { secretKey } = await createApiKey(service.context.db, tenant, service.context.now());
    return { tenant, accountId, secretKey };
  }
}

function configOf(
  options: TestServiceOptions,
  { port, dataDir, database, bankUrl }: { port: number; dataDir: string; database: DatabaseChoice; bankUrl: string },
): ServiceConfig {
  const timeouts =
    options.bankTimeoutMs === undefined
      ? {}
      : { moneyTimeoutMs: options.bankTimeoutMs, queryTimeoutMs: options.bankTimeoutMs };
  return {
    host: "127.0.0.1",
    port,
    // A separate host, as in production, but on the same port. Node can resolve this name.
    checkoutOrigin: `http://localhost:${port}`,
    dashboardOrigin: `http://dashboard.localhost:${port}`,
    apiUrl: `http://127.0.0.1:${port}`,
    mail: { smtpUrl: null, from: "Oriel <oriel@localhost>" },
    dataDir,
    keyDir: options.keyDir ?? dataDir,
    embedSigningKeyFile: options.embedSigningKeyFile ?? null,
    database,
    // Options of a bank's adapter other than its URL and keys aren't configuration, so the service passes them through.
    acquirer: { mode: "test", url: bankUrl, ...bankKeys, ...timeouts },
    liveAcquirer:
      options.liveBankUrl === undefined
        ? null
        : { mode: "live", url: options.liveBankUrl, ...liveBankKeys, ...timeouts },
    webhooksToLoopback: options.webhooksToLoopback ?? true,
    logLevel: "debug",
    role: options.role ?? "all",
    metrics: null,
    live: options.live ?? false,
    trustProxy: options.trustProxy ?? [],
    connections: { total: 1_000, perClient: 1_000 },
    drainMs: 0,
    rateLimits: { api: null, frame: null, signIn: null, dashboard: null, ...options.rateLimits },
    risk: readRiskSettings({ ORIEL_RISK: options.risk ?? "off" }),
    threeDSecure: options.threeDSecure ?? "standard",
    securityContact: null,
    connectorHosts: { adyen: [] },
  };
}

/** Strings are sent unchanged, and anything else as JSON. */
export async function send(
  origin: string,
  method: Method,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<ApiResponse> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: JSON.parse(text) as Json,
    text,
    headers: Object.fromEntries(response.headers),
  };
}

async function startBank(closers: Closers, waits: TestServiceOptions["bankWaits"]): Promise<string> {
  const bank = await createBank({ origin: "http://bank.localhost:4100", ...bankKeys, ...waits });
  closers.push(() => bank.close());
  return await bank.listen({ port: 0, host: "127.0.0.1" });
}

/** Created once per process, because it takes as long as many tests do. */
let emptyImage: Promise<Blob> | undefined;

async function makeEmptyImage(): Promise<Blob> {
  const pglite = await PGlite.create(); // waits until it is ready, because a dump before that never finishes
  const image = await pglite.dumpDataDir("none");
  await pglite.close();
  return image;
}

/**
 * An empty database of the kind that the test project uses. On PostgreSQL it can be a copy of another database, given
 * by name, and on another server.
 */
export async function freshDatabase(
  closers: Closers,
  template = inject("emptyTemplate"),
  server = inject("postgresUrl"),
): Promise<DatabaseChoice> {
  if (server === null) return { kind: "pglite", image: await (emptyImage ??= makeEmptyImage()) };
  const cluster = server === inject("postgresUrl") ? inject("cluster") : null;
  const { url, drop } = await (cluster === null
    ? createDatabase(server, template)
    : createClusterDatabase(cluster, template));
  closers.push(drop);
  return { kind: "postgres", url };
}
