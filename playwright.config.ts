/**
 * The browser tests: the whole of `npm start` on ports of its own, an empty data directory, and a real Chromium that sees three origins (the
 * shop's, Oriel's and the bank's).
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, devices } from "@playwright/test";
import { addresses, ports } from "./demo/e2e/addresses.ts";
import { findChromium } from "./scripts/chromium.ts";

const executablePath = findChromium();

export default defineConfig({
  testDir: "demo/e2e",
  outputDir: "test-results/browser",
  reporter: [["list"], ["json", { outputFile: "test-results/browser.json" }]],
  // A test that needs a second try is failing.
  retries: 0,
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    baseURL: addresses.shop,
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: executablePath === null ? {} : { executablePath },
  },
  projects: [{ name: "chromium", use: { ...devices["Desktop Chrome"] } }],
  webServer: {
    command: "node scripts/start.ts",
    url: `http://127.0.0.1:${ports.shop}/healthz`,
    timeout: 90_000,
    reuseExistingServer: false,
    stdout: "ignore",
    gracefulShutdown: { signal: "SIGTERM", timeout: 15_000 },
    env: {
      ORIEL_DATA_DIR: (process.env["ORIEL_E2E_DATA_DIR"] ??= mkdtempSync(join(tmpdir(), "oriel-e2e-"))),
      ORIEL_PORT: String(ports.service),
      BANK_PORT: String(ports.bank),
      SHOP_PORT: String(ports.shop),
      BANK_API_KEY: "the-key-of-the-browser-tests",
    },
  },
});
