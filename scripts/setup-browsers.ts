/**
 * `npm run setup:browsers`: installs the browsers that the tests need and this machine lacks. The test commands run it
 * too. Nothing else installs anything.
 *
 * - On Debian as root it uses apt. In a terminal it asks first, unless `CI` is set.
 * - Elsewhere it downloads Playwright's own builds.
 * - With `ORIEL_TEST_INSTALL=never` it installs nothing, and fails with the command to run.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { findWebKit } from "../demo/e2e/webkit/browser.ts";
import { findChromium, findFirefox } from "./browsers.ts";

interface Browser {
  name: string;
  isInstalled(): boolean;
  /** Packages for `apt-get install`. The first alternative that this Debian has is used. */
  debian: [string[], ...string[][]];
  /**
   * Argument for `playwright install`. Null if Playwright has no build that our tests can drive; those tests are then
   * skipped.
   */
  playwright: string | null;
}

const browsers = {
  chromium: {
    name: "Chromium",
    isInstalled: () => findChromium() !== null,
    debian: [["chromium-headless-shell"], ["chromium"]],
    playwright: "chromium",
  },
  firefox: {
    name: "Firefox",
    isInstalled: () => findFirefox() !== null,
    debian: [["--no-install-recommends", "firefox-esr"]],
    playwright: "firefox",
  },
  webkit: {
    name: "WebKit",
    isInstalled: () => findWebKit() !== null,
    debian: [["webkit2gtk-driver", "xvfb"]],
    playwright: null,
  },
} satisfies Record<string, Browser>;

export type BrowserName = keyof typeof browsers;
const allNames = Object.keys(browsers) as BrowserName[]; // all keys are the table's

/** @throws Error with a message if one is missing and wasn't installed */
export async function setUpBrowsers(names: readonly BrowserName[]): Promise<void> {
  const usesApt = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  const missing = names
    .map((name): Browser => browsers[name])
    .filter(({ isInstalled, playwright }) => !isInstalled() && (usesApt || playwright !== null));
  if (missing.length === 0) return;

  const commands = usesApt ? ["apt-get update", ...missing.map(aptCommand)] : missing.map(playwrightCommand);
  const whole = commands.join(" && ");
  const list = missing.map(({ name }) => name).join(" and ");
  if (process.env["ORIEL_TEST_INSTALL"] === "never") throw new Error(`Missing: ${list}. Install with: ${whole}`);
  console.log(`Missing: ${list}. To install them, this command will run:\n  ${whole}`);
  if (usesApt && !(await isAllowed())) throw new Error("Not installed. Run the command above, then try again.");

  if (usesApt) run("apt-get", ["update", "-q"]);
  for (const browser of missing) {
    console.log(`Installing ${browser.name} ...`);
    if (usesApt) installFirst(browser.debian);
    else run("npx", ["playwright", "install", browser.playwright ?? ""]);
    if (!browser.isInstalled()) throw new Error(`${browser.name} is still missing after \`${whole}\`.`);
  }
}

async function isAllowed(): Promise<boolean> {
  if (process.env["CI"] || !process.stdin.isTTY || !process.stdout.isTTY) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^(y|yes|)$/i.test((await terminal.question("Install now? [Y/n] ")).trim());
  } finally {
    terminal.close();
  }
}

function aptCommand({ debian }: Browser): string {
  return debian.map((packages) => `apt-get install -y ${packages.join(" ")}`).join(" || ");
}

function playwrightCommand({ playwright }: Browser): string {
  return `npx playwright install ${playwright}`;
}

/** @throws AggregateError with the reason for each browser that couldn't be installed */
function installFirst(candidates: Browser["debian"]): void {
  const reasons: unknown[] = [];
  for (const packages of candidates) {
    try {
      return run("apt-get", ["install", "-y", "-q", ...packages]);
    } catch (reason) {
      reasons.push(reason);
    }
  }
  throw new AggregateError(
    reasons,
    `apt-get couldn't install any of ${candidates.map((packages) => packages.at(-1)).join(", ")}.`,
  );
}

function run(command: string, args: string[]): void {
  const quiet = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // The output is long and only matters on failure. Then execFileSync throws an error with stderr.
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"], env: quiet });
}

if (import.meta.main) {
  const usage = `npm run setup:browsers [-- BROWSER ...]

Installs missing test browsers: ${allNames.join(", ")} (default: all three).
ORIEL_TEST_INSTALL=never installs nothing and prints the command that would.`;
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
  const names = positionals.length === 0 ? allNames : allNames.filter((name) => positionals.includes(name));
  if (values.help || positionals.some((name) => !(name in browsers))) {
    console.log(usage);
    process.exitCode = values.help ? 0 : 2;
  } else {
    try {
      await setUpBrowsers(names);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}
