import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { OperatorError } from "@oriel/commands/operator-error";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { readConfig } from "./config.ts";

const directory = temporaryDirectory(afterAll);
const good = {
  ORIEL_DATA_DIR: join(directory, "data"),
  BANK_API_KEY: "k".repeat(16),
  BANK_RESULTS_KEY: "r".repeat(16),
};

describe("readConfig", () => {
  it("returns defaults that need nothing outside this machine", () => {
    const config = readConfig(good);
    expect(config).toEqual({
      host: "127.0.0.1",
      port: 4000,
      checkoutOrigin: "http://pay.localhost:4000",
      dashboardOrigin: "http://dashboard.localhost:4000",
      apiUrl: "http://127.0.0.1:4000",
      connectorHosts: { adyen: [] },
      mail: { smtpUrl: null, from: "Oriel <oriel@localhost>" },
      dataDir: join(directory, "data"),
      keyDir: join(directory, "data"),
      embedSigningKeyFile: null,
      database: { kind: "pglite", directory: join(directory, "data", "pglite") },
      acquirer: { mode: "test", url: "http://127.0.0.1:4100", apiKey: "k".repeat(16), resultsKey: "r".repeat(16) },
      liveAcquirer: null,
      webhooksToLoopback: false,
      logLevel: "info",
      role: "all",
      metrics: null,
      live: false,
      trustProxy: [],
      connections: { total: 8_192, perClient: 256 },
      drainMs: 0,
      rateLimits: {
        api: { perSecond: 100, burst: 500 },
        frame: { perSecond: 10, burst: 100 },
        signIn: { perSecond: 1, burst: 60 },
        dashboard: { perSecond: 20, burst: 200 },
      },
      threeDSecure: "standard",
      securityContact: null,
    });
  });

  it("reads the values that are set", () => {
    const set = {
      ORIEL_HOST: "0.0.0.0",
      ORIEL_PORT: "5000",
      ORIEL_METRICS_PORT: "9464",
      BANK_PORT: "5100",
      ORIEL_CHECKOUT_ORIGIN: "https://pay.example.com",
      ORIEL_DASHBOARD_ORIGIN: "https://dashboard.example.com",
      SMTP_URL: "smtps://ann:pass@mail.example.com",
      ORIEL_MAIL_FROM: "Pay <pay@example.com>",
      DATABASE_URL: "postgres://db-1:5432,db-2:5432/oriel",
      ORIEL_WEBHOOKS_TO_LOOPBACK: "1",
      ORIEL_KEY_DIR: "/etc/oriel/keys",
      ORIEL_EMBED_SIGNING_KEY_FILE: "/etc/oriel/signing.pem",
      ORIEL_TRUST_PROXY: "10.0.0.0/8, 2001:db8::/32",
      ORIEL_ADYEN_HOSTS: "adyen-proxy.example.com, proxy.example.com:8443",
      ORIEL_DRAIN_SECONDS: "10",
      ORIEL_RATE_LIMIT: "25",
      ORIEL_RATE_BURST: "50",
      ORIEL_FRAME_RATE_LIMIT: "off",
      ORIEL_THREE_D_SECURE: "strict",
    };
    expect(readConfig({ ...good, ...set }, "worker")).toMatchObject({
      host: "0.0.0.0",
      port: 5000,
      checkoutOrigin: "https://pay.example.com",
      dashboardOrigin: "https://dashboard.example.com",
      apiUrl: "http://127.0.0.1:5000",
      connectorHosts: { adyen: ["adyen-proxy.example.com", "proxy.example.com:8443"] },
      mail: { smtpUrl: "smtps://ann:pass@mail.example.com", from: "Pay <pay@example.com>" },
      database: { kind: "postgres", url: "postgres://db-1:5432,db-2:5432/oriel" },
      acquirer: { url: "http://127.0.0.1:5100" },
      webhooksToLoopback: true,
      role: "worker",
      metrics: { host: "127.0.0.1", port: 9464 },
      keyDir: "/etc/oriel/keys",
      embedSigningKeyFile: "/etc/oriel/signing.pem",
      trustProxy: ["10.0.0.0/8", "2001:db8::/32"],
      drainMs: 10_000,
      rateLimits: {
        api: { perSecond: 25, burst: 50 },
        frame: null,
        signIn: { perSecond: 1, burst: 60 },
        dashboard: { perSecond: 20, burst: 200 },
      },
      threeDSecure: "strict",
    });
  });

  it.each<[string, string | undefined]>([
    ["ORIEL_PORT", "0"],
    ["ORIEL_PORT", "65536"],
    ["ORIEL_PORT", "4000x"],
    ["ORIEL_PORT", "40.5"],
    ["ORIEL_METRICS_PORT", "metrics"],
    ["BANK_PORT", "-1"],
    ["DATABASE_URL", "postgres://oriel:hunter2@db-1:5432,/oriel"],
    ["DATABASE_URL", "postgres://,db-2/oriel"],
    ["DATABASE_URL", "postgres://oriel:hunter2@db-1,db-2:99999/oriel"],
    ["ORIEL_CHECKOUT_ORIGIN", "https://pay.example.com/"],
    ["ORIEL_CHECKOUT_ORIGIN", "pay.example.com"],
    ["ORIEL_API_URL", "https://api.example.com/api/v1"],
    ["ORIEL_API_URL", "http://pay.localhost:4000"],
    ["ORIEL_DASHBOARD_ORIGIN", "http://pay.localhost:4000"],
    ["ORIEL_DASHBOARD_ORIGIN", "https://dashboard.example.com/"],
    ["SMTP_URL", "https://ann:hunter2@mail.example.com"],
    ["SMTP_URL", "hunter2"],
    ["BANK_URL", "https://ann@bank.example"],
    ["BANK_API_KEY", undefined],
    ["BANK_API_KEY", "hunter2"],
    ["BANK_RESULTS_KEY", ""],
    ["ORIEL_LIVE", "1"],
    ["ORIEL_LIVE", "true"],
    ["ORIEL_LIVE", "yes"],
    ["ORIEL_WEBHOOKS_TO_LOOPBACK", "on"],
    ["ORIEL_TRUST_PROXY", "true"],
    ["ORIEL_TRUST_PROXY", "1"],
    ["ORIEL_TRUST_PROXY", "loopback"],
    ["ORIEL_TRUST_PROXY", "10.0.0.1"],
    ["ORIEL_TRUST_PROXY", "10.0.0.0/33"],
    ["ORIEL_TRUST_PROXY", "0.0.0.0/0"],
    ["ORIEL_TRUST_PROXY", "::/0"],
    ["ORIEL_TRUST_PROXY", "10.0.0.0/8,"],
    ["ORIEL_TRUST_PROXY", "10.0.0.0/8,*"],
    ["ORIEL_ADYEN_HOSTS", "*"],
    ["ORIEL_ADYEN_HOSTS", "*.example.com"],
    ["ORIEL_ADYEN_HOSTS", "https://proxy.example.com"],
    ["ORIEL_ADYEN_HOSTS", "proxy.example.com/v72"],
    ["ORIEL_ADYEN_HOSTS", "ann@proxy.example.com"],
    ["ORIEL_ADYEN_HOSTS", "proxy.example.com."],
    ["ORIEL_ADYEN_HOSTS", "Proxy.example.com"],
    ["ORIEL_ADYEN_HOSTS", "proxy.example.com:443"],
    ["ORIEL_ADYEN_HOSTS", "proxy.example.com,"],
    ["ORIEL_ADYEN_HOSTS", "proxy"],
    ["ORIEL_ADYEN_HOSTS", "localhost"],
    ["ORIEL_ADYEN_HOSTS", "adyen.localhost:4100"],
    ["ORIEL_ADYEN_HOSTS", "127.0.0.1:4100"],
    ["ORIEL_ADYEN_HOSTS", "10.0.0.7"],
    ["ORIEL_ADYEN_HOSTS", "0x7f.1"],
    ["ORIEL_ADYEN_HOSTS", "[::1]"],
    ["ORIEL_DRAIN_SECONDS", "10s"],
    ["ORIEL_DRAIN_SECONDS", "1000"],
    ["ORIEL_RATE_LIMIT", "0"],
    ["ORIEL_RATE_LIMIT", "none"],
    ["ORIEL_RATE_LIMIT", "-5"],
    ["ORIEL_RATE_LIMIT", "1.5"],
    ["ORIEL_RATE_BURST", "off"],
    ["ORIEL_RATE_BURST", "400000"],
    ["ORIEL_FRAME_RATE_LIMIT", "many"],
    ["ORIEL_THREE_D_SECURE", "off"],
    ["ORIEL_THREE_D_SECURE", "Strict"],
  ])("rejects %s=%s and names the variable without quoting a secret", (name, value) => {
    const env = { ...good, ORIEL_DATA_DIR: join(directory, "not-made"), [name]: value };
    expect(() => readConfig(env)).toThrow(OperatorError);
    expect(() => readConfig(env)).toThrow(name);
    expect(() => readConfig(env)).not.toThrow("hunter2");
  });

  it("accepts live mode with a complete production configuration", () => {
    expect(readConfig({ ...good, ...live })).toMatchObject({ live: true, keyDir: "/etc/oriel/keys" });
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ["DATABASE_URL", { DATABASE_URL: "", VAULT_DATABASE_URL: "" }],
    ["VAULT_DATABASE_URL", { VAULT_DATABASE_URL: "" }],
    ["ORIEL_KEY_DIR", { ORIEL_KEY_DIR: "" }],
    ["ORIEL_KEY_DIR", { ORIEL_DATA_DIR: "/etc/oriel/keys/", ORIEL_KEY_DIR: "/etc/oriel/other/../keys" }],
    ["ORIEL_CHECKOUT_ORIGIN", { ORIEL_CHECKOUT_ORIGIN: "http://pay.example.com" }],
    ["ORIEL_DASHBOARD_ORIGIN", { ORIEL_DASHBOARD_ORIGIN: "" }],
    ["SMTP_URL", { SMTP_URL: "" }],
    ["ORIEL_MAIL_FROM", { ORIEL_MAIL_FROM: "" }],
    ["ORIEL_MAIL_FROM", { ORIEL_MAIL_FROM: "Oriel <oriel@localhost>" }],
    ["ORIEL_MAIL_FROM", { ORIEL_MAIL_FROM: "Payments <payments@example.com>" }],
    ["ORIEL_MAIL_FROM", { ORIEL_MAIL_FROM: "payments@mail.local" }],
    ["ORIEL_MAIL_FROM", { ORIEL_MAIL_FROM: "payments@192.0.2.1" }],
    ["ORIEL_MAIL_FROM", { ORIEL_MAIL_FROM: "payments@server" }],
    ["ORIEL_MAIL_FROM", { ORIEL_MAIL_FROM: "kilnstreet.shop" }],
    ["ORIEL_MAIL_FROM", { ORIEL_MAIL_FROM: "Kiln Street <payments@kilnstreet.shop>, x" }],
    ["ORIEL_API_URL", { ORIEL_API_URL: "" }],
    ["BANK_URL", { BANK_URL: "http://127.0.0.1:4100" }],
    ["ORIEL_WEBHOOKS_TO_LOOPBACK", { ORIEL_WEBHOOKS_TO_LOOPBACK: "1" }],
    ["LIVE_BANK_URL", { ...liveAcquirer, LIVE_BANK_URL: "http://live-bank.example.com" }],
  ])("rejects live mode and names %s if the settings include %j, and creates no data directory", (name, env) => {
    const dataDir = join(directory, "live");
    const start = () => readConfig({ ...good, ORIEL_DATA_DIR: dataDir, ...live, ...env });
    expect(start).toThrow(OperatorError);
    expect(start).toThrow(/^ORIEL_LIVE=1 /);
    expect(start).toThrow(name);
    expect(existsSync(dataDir)).toBe(false);
  });

  it("reads the live acquirer only in live mode", () => {
    expect(readConfig({ ...good, ...live, ...liveAcquirer }).liveAcquirer).toEqual({
      mode: "live",
      url: "https://live-bank.example.com",
      apiKey: "l".repeat(16),
      resultsKey: "m".repeat(16),
    });
    expect(readConfig({ ...good, ...live }).liveAcquirer).toBeNull();
    expect(readConfig({ ...good, ...liveAcquirer }).liveAcquirer).toBeNull();
  });

  it.each([
    ["the test acquirer's URL", { LIVE_BANK_URL: "https://bank.example.com" }],
    ["the test acquirer's API key", { LIVE_BANK_API_KEY: "k".repeat(16) }],
    ["the test acquirer's results key", { LIVE_BANK_RESULTS_KEY: "r".repeat(16) }],
    ["the test acquirer's API key as its results key", { LIVE_BANK_RESULTS_KEY: "k".repeat(16) }],
  ])("rejects a live acquirer that uses %s", (_name, env) => {
    expect(() => readConfig({ ...good, ...live, ...liveAcquirer, ...env })).toThrow(
      "Test mode and live mode must use different acquirer URLs and keys",
    );
  });

  it("rejects a live acquirer without keys or without a URL", () => {
    expect(() => readConfig({ ...good, ...live, LIVE_BANK_URL: liveAcquirer.LIVE_BANK_URL })).toThrow(
      "LIVE_BANK_API_KEY",
    );
    expect(() => readConfig({ ...good, ...live, ...liveAcquirer, LIVE_BANK_URL: "" })).toThrow(
      "A live acquirer key is set, but LIVE_BANK_URL isn't",
    );
  });
});

const liveAcquirer = {
  LIVE_BANK_URL: "https://live-bank.example.com",
  LIVE_BANK_API_KEY: "l".repeat(16),
  LIVE_BANK_RESULTS_KEY: "m".repeat(16),
};

const live = {
  ORIEL_LIVE: "1",
  DATABASE_URL: "postgres://service@db/oriel",
  VAULT_DATABASE_URL: "postgres://vault@db/oriel",
  ORIEL_KEY_DIR: "/etc/oriel/keys",
  ORIEL_CHECKOUT_ORIGIN: "https://pay.example.com",
  ORIEL_DASHBOARD_ORIGIN: "https://dashboard.example.com",
  ORIEL_API_URL: "https://api.example.com",
  SMTP_URL: "smtp://mail.example.com",
  ORIEL_MAIL_FROM: "Kiln Street <payments@kilnstreet.shop>",
  BANK_URL: "https://bank.example.com",
};
