/**
 * Smoke tests in WebKit: a customer pays and passes the bank's challenge on a page with the script tag. The engine is
 * WebKitGTK from Debian's packages. If they're missing, the tests are skipped without failing. This script starts and
 * stops everything else.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { addresses, ports } from "../urls.ts";
import { findWebKit, startBrowser } from "./browser.ts";
import { endAll, start } from "./processes.ts";
import { checks } from "./smoke.ts";

/** A driver waits forever for a browser that couldn't start. `endAll` ends what runs longer than this. */
const startMs = 60_000;
const checkMs = 120_000;

const webKit = findWebKit();
if (webKit === null) {
  console.log("not run: install webkit2gtk-driver and xvfb");
} else {
  const failed = await run(webKit);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const timeout = pause(limitMs, null, { ref: false }).then(() => {
    throw new Error(`It took longer than ${limitMs / 1000} s.`);
  });
  return await Promise.race([work, timeout]);
}

async function run(paths: NonNullable<ReturnType<typeof findWebKit>>): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "oriel-webkit-"));
  process.env["ORIEL_E2E_DATA_DIR"] = dataDir;
  let failed = 0;
  try {
    await Promise.all([
      start("oriel", process.execPath, ["scripts/start.ts"], {
        env: {
          ORIEL_DATA_DIR: dataDir,
          ORIEL_PORT: String(ports.service),
          BANK_PORT: String(ports.bank),
          SHOP_PORT: String(ports.shop),
        },
        statusUrl: `${addresses.shopApi}/healthz`,
      }),
      start("hosts", process.execPath, ["demo/e2e/hosts/main.ts"], { statusUrl: `${addresses.hostsApi}/healthz` }),
    ]);
    for (const [name, check] of Object.entries(checks)) {
      const started = Date.now();
      try {
        const driver = await within(startMs, startBrowser(paths));
        await within(
          checkMs,
          check(driver).finally(() => driver.quit()),
        );
        console.log(`  passed  ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failed++;
        console.error(`  FAILED  ${name}\n`, error);
      }
    }
  } finally {
    await endAll();
  }
  const passed = Object.keys(checks).length - failed;
  mkdirSync("test-results", { recursive: true });
  writeFileSync("test-results/webkit.json", JSON.stringify({ passed, failed }));
  return failed;
}
