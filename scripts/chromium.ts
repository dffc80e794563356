/** Finds a Chromium for the browser tests, or installs one: with apt on Debian as root, with Playwright's own download elsewhere. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";

const systemPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser's path, or null when there is none. `CHROMIUM_PATH` wins, then Playwright's own, then the system's. */
export function findChromium(): string | null {
  const candidates = [process.env["CHROMIUM_PATH"] ?? "", chromium.executablePath(), ...systemPaths];
  return candidates.find((path) => path !== "" && existsSync(path)) ?? null;
}

/** @throws Error when none is there and none could be installed. */
export function ensureChromium(): string {
  const found = findChromium();
  if (found !== null) return found;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log("No Chromium here: installing Debian's package `chromium` with apt-get. This takes about a minute.");
    run("apt-get", ["update", "-q"]);
    run("apt-get", ["install", "-y", "-q", "chromium"]);
  } else {
    console.log("No Chromium here: downloading Playwright's with `npx playwright install chromium`.");
    run("npx", ["playwright", "install", "chromium"]);
  }
  const installed = findChromium();
  if (installed === null) throw new Error("No Chromium could be installed. Install one and set CHROMIUM_PATH to it.");
  return installed;
}

function run(command: string, args: string[]): void {
  const quiet = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // The output is long and says little when all is well; on failure execFileSync throws with what was written to stderr.
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"], env: quiet });
}
