/**
 * Browser tests. They run `npm start` on their own ports with an empty data directory, a server for host pages, and
 * real browsers. The shop, Oriel, the bank and the host pages have separate origins.
 *
 * A spec runs in both browsers only if its result can differ there: framing, partitioned storage, focus, windows,
 * history, CSP, or how iframes load. Any other spec is named `*.chromium.spec.ts`, as is one that Firefox or its driver
 * can't run. If a topic has both kinds of tests, it has two files. Outcomes that depend only on the service are tested
 * over the API.
 *
 * Tests tagged `@quick` run in `npm test`, in Chromium: one flow for each integration, and guarantees that only a
 * browser can check. `npm run test:full` runs the rest, and the specs for both browsers in Firefox.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, devices } from "@playwright/test";
import { addresses, bankKey, ports } from "./demo/e2e/urls.ts";
import { findChromium, findFirefox } from "./scripts/browsers.ts";

const chromium = findChromium();
const firefox = findFirefox();
const dataDir = process.env["ORIEL_E2E_DATA_DIR"] ?? createDataDir();

const quick = /@quick/;
const inChromium = {
  ...devices["Desktop Chrome"],
  launchOptions: chromium === null ? {} : { executablePath: chromium.path },
};

export default defineConfig({
  testDir: "demo/e2e",
  outputDir: "test-results/browser",
  reporter: "list",
  // A test that needs a retry counts as failed.
  retries: 0,
  // One more than a small machine's cores, because tests mostly wait.
  workers: 3,
  fullyParallel: true,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    baseURL: addresses.shop,
    // Recording a trace adds an eighth to a test's time, or half with screenshots. Turn it on with `--trace
    // retain-on-failure`.
    trace: "off",
    screenshot: "only-on-failure",
  },
  projects: [
    { name: "chromium-quick", grep: quick, use: inChromium },
    { name: "chromium-rest", grepInvert: quick, use: inChromium },
    {
      name: "firefox",
      testIgnore: "**/*.chromium.spec.ts",
      use: {
        ...devices["Desktop Firefox"],
        // A Firefox that isn't Playwright's own build is driven by WebDriver BiDi. With site isolation, its keys and
        // clicks don't reach a cross-site iframe. Cookies and storage are still partitioned.
        ...(firefox?.own === false && { channel: "moz-firefox" }),
        launchOptions: {
          ...(firefox?.own === false && { executablePath: firefox.path }),
          firefoxUserPrefs: {
            // The drivers turn the popup blocker off, but customers have it turned on.
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
        // All visitors of the dashboard have this machine's IP address.
        ORIEL_SIGN_IN_RATE_LIMIT: "off",
        // Idle customers time out soon, so that tests don't wait. Decoupled approval takes long enough to press a button
        // first.
        BANK_IDLE_MS: "3000",
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

/** For this run: the workers find it in the environment. */
function createDataDir(): string {
  const created = mkdtempSync(join(tmpdir(), "oriel-e2e-"));
  process.env["ORIEL_E2E_DATA_DIR"] = created;
  process.once("exit", () => rmSync(created, { recursive: true, force: true, maxRetries: 5 }));
  return created;
}
