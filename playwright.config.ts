/**
 * The browser tests: the whole of `npm start` on ports of its own with an empty data directory, a server of host pages
 * beside it, and two real browsers that see the origins of the shop, of Oriel, of the bank and of the host pages.
 *
 * A spec runs in both browsers. One that only Chromium can run (it needs what the other's driver or engine has not), or
 * in which our code alone decides and no engine has a say, is named `*.chromium.spec.ts`.
 *
 * Tests tagged `@quick` belong to `npm test`, in Chromium: one flow for each way in, and the promises that only a
 * browser can check. All others, and all in Firefox, belong to `npm run test:full`.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, devices } from "@playwright/test";
import { addresses, bankKey, ports } from "./demo/e2e/addresses.ts";
import { findChromium, findFirefox } from "./scripts/browsers.ts";

const chromium = findChromium();
const firefox = findFirefox();
const dataDir = (process.env["ORIEL_E2E_DATA_DIR"] ??= mkdtempSync(join(tmpdir(), "oriel-e2e-")));

export default defineConfig({
  testDir: "demo/e2e",
  outputDir: "test-results/browser",
  reporter: "list",
  // A test that needs a second try is failing.
  retries: 0,
  // One more than the processors of a small machine: a test waits more than it works.
  workers: 3,
  fullyParallel: true,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    baseURL: addresses.shop,
    // Recording a trace takes an eighth of a test's time, and with its pictures half: `--trace retain-on-failure`
    // brings it back.
    trace: "off",
    screenshot: "only-on-failure",
  },
  projects: [
    {
      name: "chromium",
      use: { ...devices["Desktop Chrome"], launchOptions: chromium === null ? {} : { executablePath: chromium.path } },
    },
    {
      name: "firefox",
      testIgnore: "**/*.chromium.spec.ts",
      use: {
        ...devices["Desktop Firefox"],
        // A Firefox that is not Playwright's own build is driven by WebDriver BiDi. With a process for each site, its
        // keys and clicks do not reach a frame of another site; cookies and storage are partitioned all the same.
        ...(firefox?.own === false && { channel: "moz-firefox" }),
        launchOptions: {
          ...(firefox?.own === false && { executablePath: firefox.path }),
          firefoxUserPrefs: {
            // The drivers turn the popup blocker off; customers have it on.
            "dom.disable_open_during_load": true,
            ...(firefox?.own === false && { "fission.webContentIsolationStrategy": 0 }),
          },
        },
      },
    },
  ],
  webServer: [
    {
      command: "node scripts/start.ts",
      url: `http://127.0.0.1:${ports.shop}/healthz`,
      timeout: 90_000,
      reuseExistingServer: false,
      stdout: "ignore",
      gracefulShutdown: { signal: "SIGTERM", timeout: 15_000 },
      env: {
        ORIEL_DATA_DIR: dataDir,
        ORIEL_PORT: String(ports.service),
        BANK_PORT: String(ports.bank),
        SHOP_PORT: String(ports.shop),
        BANK_API_KEY: bankKey,
        // All visitors of the dashboard come from this machine.
        ORIEL_SIGN_IN_RATE_LIMIT: "off",
        // A customer who does nothing is timed out sooner than in a minute; one who is asked in the app has time to
        // press a button.
        BANK_IDLE_MS: "10000",
        BANK_DECOUPLED_MS: "60000",
      },
    },
    {
      command: "node demo/e2e/hosts/main.ts",
      url: `${addresses.hostsApi}/healthz`,
      timeout: 60_000,
      reuseExistingServer: false,
      stdout: "ignore",
      gracefulShutdown: { signal: "SIGTERM", timeout: 5_000 },
      env: { ORIEL_E2E_DATA_DIR: dataDir },
    },
  ],
});
