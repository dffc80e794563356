/** Finds the browsers for the tests, or installs them: with apt on Debian as root, with Playwright's own downloads elsewhere. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium, firefox } from "@playwright/test";

/** The headless shell first: the same engine without the windows around it, in which a test takes a third less time. */
const chromiumPaths = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const firefoxPaths = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

export interface FoundBrowser {
  path: string;
  /** Playwright's own build, which it drives its own way. */
  own: boolean;
}

/** `CHROMIUM_PATH` wins, then Playwright's own, then the system's; null when there is none. */
export function findChromium(): FoundBrowser | null {
  return find(process.env["CHROMIUM_PATH"], chromium.executablePath(), chromiumPaths);
}

/** `FIREFOX_PATH` wins, then Playwright's own, then the system's; null when there is none. */
export function findFirefox(): FoundBrowser | null {
  return find(process.env["FIREFOX_PATH"], firefox.executablePath(), firefoxPaths);
}

/** @throws Error when none is there and none could be installed. */
export function ensureChromium(): FoundBrowser {
  return ensure("Chromium", findChromium, {
    debian: [["chromium-headless-shell"], ["chromium"]],
    playwright: "chromium",
    variable: "CHROMIUM_PATH",
  });
}

/** @throws Error when none is there and none could be installed. */
export function ensureFirefox(): FoundBrowser {
  return ensure("Firefox", findFirefox, {
    debian: [["--no-install-recommends", "firefox-esr"]],
    playwright: "firefox",
    variable: "FIREFOX_PATH",
  });
}

/** A Firefox that is not Playwright's own is driven by WebDriver BiDi, of which Playwright uses commands that came with this version. */
export const leastFirefox = 143;

/** Whether Playwright can drive it. Debian without its security updates has an older one. */
export function isDrivableFirefox({ path, own }: FoundBrowser): boolean {
  if (own) return true;
  const told = execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 30_000 });
  return Number(/(\d+)\./.exec(told)?.[1]) >= leastFirefox;
}

function find(chosen: string | undefined, own: string, system: string[]): FoundBrowser | null {
  if (chosen) return existsSync(chosen) ? { path: chosen, own: chosen === own } : null;
  if (existsSync(own)) return { path: own, own: true };
  const path = system.find((candidate) => existsSync(candidate));
  return path === undefined ? null : { path, own: false };
}

interface Packages {
  /** Arguments for `apt-get install`, the first that this Debian has. */
  debian: [string[], ...string[][]];
  playwright: string;
  variable: string;
}

function ensure(name: string, findIt: () => FoundBrowser | null, { debian, playwright, variable }: Packages): FoundBrowser {
  const found = findIt();
  if (found !== null) return found;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log(`No ${name} here: installing Debian's with apt-get. This takes about a minute.`);
    run("apt-get", ["update", "-q"]);
    installFirst(debian);
  } else {
    console.log(`No ${name} here: downloading Playwright's with \`npx playwright install ${playwright}\`.`);
    run("npx", ["playwright", "install", playwright]);
  }
  const installed = findIt();
  if (installed === null) throw new Error(`No ${name} could be installed. Install one and set ${variable} to its path.`);
  return installed;
}

/** @throws AggregateError with why each could not be installed */
function installFirst(candidates: Packages["debian"]): void {
  const reasons: unknown[] = [];
  for (const packages of candidates) {
    try {
      return run("apt-get", ["install", "-y", "-q", ...packages]);
    } catch (reason) {
      reasons.push(reason);
    }
  }
  throw new AggregateError(reasons, `apt-get could install none of ${candidates.map((packages) => packages.at(-1)).join(", ")}.`);
}

function run(command: string, args: string[]): void {
  const quiet = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // The output is long and says little when all is well; on failure execFileSync throws with what was written to stderr.
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"], env: quiet });
}
