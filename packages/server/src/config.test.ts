import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

let directory: string;
let good: NodeJS.ProcessEnv;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "oriel-config-"));
  good = { ORIEL_DATA_DIR: join(directory, "data"), BANK_API_KEY: "k".repeat(16), BANK_RESULTS_KEY: "r".repeat(16) };
});
afterAll(() => rmSync(directory, { recursive: true }));

describe("the configuration", () => {
  it("has defaults that keep to this machine", () => {
    const config = readConfig(good);
    expect(config).toEqual({
      host: "127.0.0.1",
      port: 4000,
      checkoutOrigin: "http://pay.localhost:4000",
      apiUrl: "http://127.0.0.1:4000",
      dataDir: join(directory, "data"),
      database: { kind: "pglite", directory: join(directory, "data", "pglite") },
      bank: { url: "http://127.0.0.1:4100", apiKey: "k".repeat(16), resultsKey: "r".repeat(16) },
      webhooksToLoopback: false,
      logLevel: "info",
      role: "all",
    });
  });

  it("takes what is set", () => {
    const set = {
      ORIEL_HOST: "0.0.0.0",
      ORIEL_PORT: "5000",
      BANK_PORT: "5100",
      ORIEL_CHECKOUT_ORIGIN: "https://pay.example.com",
      DATABASE_URL: "postgres://db/oriel",
      ORIEL_WEBHOOKS_TO_LOOPBACK: "1",
    };
    expect(readConfig({ ...good, ...set }, "worker")).toMatchObject({
      host: "0.0.0.0",
      port: 5000,
      checkoutOrigin: "https://pay.example.com",
      apiUrl: "http://127.0.0.1:5000",
      database: { kind: "postgres", url: "postgres://db/oriel" },
      bank: { url: "http://127.0.0.1:5100" },
      webhooksToLoopback: true,
      role: "worker",
    });
  });

  it.each<[string, string | undefined]>([
    ["ORIEL_PORT", "0"],
    ["ORIEL_PORT", "65536"],
    ["ORIEL_PORT", "4000x"],
    ["ORIEL_PORT", "40.5"],
    ["BANK_PORT", "-1"],
    ["ORIEL_CHECKOUT_ORIGIN", "https://pay.example.com/"],
    ["ORIEL_CHECKOUT_ORIGIN", "pay.example.com"],
    ["ORIEL_API_URL", "https://api.example.com/api/v1"],
    ["BANK_URL", "https://ann@bank.example"],
    ["BANK_API_KEY", undefined],
    ["BANK_API_KEY", "hunter2"],
    ["BANK_RESULTS_KEY", ""],
    ["ORIEL_LIVE", "1"],
  ])("with %s=%s is refused by that name, and a secret is not quoted", (name, value) => {
    const env = { ...good, ORIEL_DATA_DIR: join(directory, "not-made"), [name]: value };
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(name);
    expect(() => readConfig(env)).not.toThrow("hunter2");
  });

  it("that turns live mode on makes nothing on the disk", () => {
    const dataDir = join(directory, "live");
    expect(() => readConfig({ ...good, ORIEL_DATA_DIR: dataDir, ORIEL_LIVE: "1" })).toThrow("test payments only");
    expect(existsSync(dataDir)).toBe(false);
  });
});
