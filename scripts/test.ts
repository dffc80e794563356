/**
 * `npm test`: everything that must hold, in the order in which it is quickest to learn that something does not. Stops at the first step that
 * fails. `npm test -- --from browser` begins at a later step.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { ensureChromium, ensureFirefox, isDrivableFirefox, leastFirefox } from "./browsers.ts";

const results = "test-results";
const vitestResults = `${results}/vitest.json`;
const browserResults = `${results}/browser.json`;
const webKitResults = `${results}/webkit.json`;
const vitestReports = ["--reporter=default", "--reporter=json", `--outputFile.json=${vitestResults}`];

const steps: { name: string; run(): void }[] = [
  { name: "lint", run: () => call("oxlint", ["--type-aware", "--deny-warnings"]) },
  { name: "format", run: () => call("oxfmt", ["--check", "."]) },
  { name: "types", run: () => call("node", ["scripts/types.ts"]) },
  { name: "build", run: () => call("vite", ["build", "--app", "--logLevel", "warn"]) },
  { name: "unit and API", run: () => call("vitest", ["run", ...vitestReports]) },
  { name: "chaos", run: () => call("node", ["scripts/chaos.ts", "--kills", "12", "--minutes", "0.5", "--clients", "24"]) },
  { name: "webhooks chaos", run: () => call("node", ["scripts/chaos.ts", "--webhooks", "--kills", "6", "--events", "200"]) },
  {
    name: "browser",
    run: () => {
      process.env["CHROMIUM_PATH"] = ensureChromium().path;
      const firefox = ensureFirefox();
      process.env["FIREFOX_PATH"] = firefox.path;
      const isDrivable = isDrivableFirefox(firefox);
      if (!isDrivable) console.log(`Firefox: not run. Playwright needs ${leastFirefox} or newer; this is ${firefox.path}.`);
      call("playwright", isDrivable ? ["test"] : ["test", "--project", "chromium"]);
    },
  },
  { name: "webkit", run: () => call("node", ["demo/e2e/webkit/main.ts"]) },
];

const { values } = parseArgs({ options: { from: { type: "string" }, help: { type: "boolean" } } });
const first = values.from === undefined ? 0 : steps.findIndex(({ name }) => name.startsWith(values.from ?? ""));
if (values.help || first === -1) {
  console.log(`npm test [-- --from STEP]\n\nSteps: ${steps.map(({ name }) => name).join(", ")}`);
  process.exit(first === -1 ? 2 : 0);
}

rmSync(results, { recursive: true, force: true });
mkdirSync(results);
const taken = steps.slice(first);
for (const { name, run } of taken) {
  const started = Date.now();
  console.log(`\n== ${name}`);
  run();
  console.log(`== ${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
}
const { passed, failed } = countTests(taken.filter(({ name }) => name.endsWith("chaos")).length);
console.log(`\n${passed} passed, ${failed} failed`);

function call(command: string, args: string[]): void {
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, { stdio: "inherit" });
  if (status !== 0) {
    console.error(`\n${command} ${args.join(" ")} ended with ${status}`);
    process.exit(1);
  }
}

/** From what the runners wrote down; a run that began later counts only what it ran. A chaos run, which has passed if it was run, is one test. */
function countTests(chaosRuns: number): { passed: number; failed: number } {
  const unit = readJson<{ numPassedTests: number; numFailedTests: number }>(vitestResults);
  const browser = readJson<{ stats: { expected: number; unexpected: number; flaky: number } }>(browserResults);
  const webKit = readJson<{ passed: number }>(webKitResults);
  return {
    passed: (unit?.numPassedTests ?? 0) + (browser?.stats.expected ?? 0) + (webKit?.passed ?? 0) + chaosRuns,
    failed: (unit?.numFailedTests ?? 0) + (browser?.stats.unexpected ?? 0) + (browser?.stats.flaky ?? 0),
  };
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T; // written by the runner a moment ago
  } catch {
    return null;
  }
}
