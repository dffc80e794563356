/** Finds the browsers for the tests, the benchmarks and the screenshots. `setup-browsers.ts` installs them. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium, firefox } from "@playwright/test";

/** The headless shell comes first, because it's the same engine without windows and runs tests a third faster. */
const chromiumPaths = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const firefoxPaths = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

export interface FoundBrowser {
  path: string;
  /** Whether it's Playwright's own build, which Playwright controls with its own protocol. */
  own: boolean;
}

/** Looks for `CHROMIUM_PATH`, then Playwright's own build, then the system's. Null if none is found. */
export function findChromium(): FoundBrowser | null {
  return find(process.env["CHROMIUM_PATH"], chromium.executablePath(), chromiumPaths);
}

/** Looks for `FIREFOX_PATH`, then Playwright's own build, then the system's. Null if none is found. */
export function findFirefox(): FoundBrowser | null {
  return find(process.env["FIREFOX_PATH"], firefox.executablePath(), firefoxPaths);
}

/** @throws Error if no Chromium is found */
export function requireChromium(): FoundBrowser {
  const found = findChromium();
  if (found === null)
    throw new Error("This needs Chromium. Run `npm run setup:browsers`, or set CHROMIUM_PATH to its path.");
  return found;
}

/**
 * A Firefox that isn't Playwright's own build is driven by WebDriver BiDi. Playwright uses commands that this version
 * introduced.
 */
export const minFirefox = 143;

/** Whether Playwright can drive this Firefox. Debian without its security updates has an older one. */
export function isDrivableFirefox({ path, own }: FoundBrowser): boolean {
  if (own) return true;
  const version = execFileSync(path, ["--version"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 30_000,
  });
  return Number(/(\d+)\./.exec(version)?.[1]) >= minFirefox;
}

function find(chosen: string | undefined, own: string, system: string[]): FoundBrowser | null {
  if (chosen) return existsSync(chosen) ? { path: chosen, own: chosen === own } : null;
  if (existsSync(own)) return { path: own, own: true };
  const path = system.find((candidate) => existsSync(candidate));
  return path === undefined ? null : { path, own: false };
}
