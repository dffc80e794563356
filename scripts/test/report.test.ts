import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readResults } from "./read-results.ts";
import { report } from "./report.ts";
import type { Step } from "./steps.ts";

const unit: Step = { name: "unit", command: ["vitest", "run", "--project", "unit"], reporter: "vitest" };
const browser: Step = { name: "chromium", command: ["playwright", "test"], reporter: "playwright" };
const lint: Step = { name: "lint", command: ["oxlint"] };
const chaos: Step = { name: "chaos", command: ["node", "scripts/chaos.ts"], isTest: true };

let folder: string;
const home = process.cwd();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "oriel-report-"));
  process.chdir(folder);
  mkdirSync("test-results");
});
afterEach(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

const write = (name: string, json: unknown) => writeFileSync(`test-results/${name}.json`, JSON.stringify(json));
const suites = (ok: boolean) => [{ specs: [], suites: [{ specs: [{ ok, file: "pay.spec.ts", line: 29 }] }] }];

describe("the report of a test command", () => {
  it("counts the passed tests and lists no commands to repeat", () => {
    write("unit", { numPassedTests: 12, numFailedTests: 0, testResults: [] });
    write("chromium", { stats: { expected: 3, unexpected: 0, flaky: 0 }, suites: suites(true) });
    const ended = [unit, browser, lint, chaos].map((step) => ({ step, seconds: 1.26, isGreen: true, obstacle: null }));
    const { text, isGreen } = report(ended.map((end) => ({ ...end, results: readResults(end) })));
    expect(text.split("\n").slice(1)).toEqual([
      "unit      1.3 s  12 passed",
      "chromium  1.3 s   3 passed",
      "lint      1.3 s",
      "chaos     1.3 s   1 passed",
      "",
      "16 passed, 0 failed",
    ]);
    expect(isGreen).toBe(true);
  });

  it("lists how to repeat only what failed: files, tests or the whole step", () => {
    const testResults = [
      { name: join(process.cwd(), "a.test.ts"), status: "failed" },
      { name: join(process.cwd(), "b.test.ts"), status: "passed" },
    ];
    write("unit", { numPassedTests: 11, numFailedTests: 2, testResults });
    write("chromium", { stats: { expected: 2, unexpected: 0, flaky: 1 }, suites: suites(false) });
    const ended = [unit, browser, lint].map((step) => ({ step, seconds: 1, isGreen: false, obstacle: null }));
    const { text, isGreen } = report(ended.map((end) => ({ ...end, results: readResults(end) })));
    expect(text.split("\n").slice(5)).toEqual([
      "To repeat what failed:",
      "  npx vitest run --project unit a.test.ts",
      "  npx playwright test demo/e2e/pay.spec.ts:29",
      "  npx oxlint",
      "",
      "13 passed, 4 failed",
    ]);
    expect(isGreen).toBe(false);
  });

  it("counts a runner as failed if it exits with an error but has no failed test or no results", () => {
    write("unit", { numPassedTests: 11, numFailedTests: 0, testResults: [] });
    expect(readResults({ step: unit, isGreen: false, obstacle: null })).toMatchObject({ passed: 11, failed: 1 });
    expect(readResults({ step: browser, isGreen: false, obstacle: null })).toMatchObject({ passed: 0, failed: 1 });
  });

  it("says why a step was skipped, and counts that as success", () => {
    const end = { step: browser, seconds: 0, isGreen: true, obstacle: "Firefox is too old." };
    const { text, isGreen } = report([{ ...end, results: readResults(end) }]);
    expect(text).toContain("chromium  0.0 s    not run: Firefox is too old.");
    expect(isGreen).toBe(true);
  });

  it("fails if a runner wrote no results", () => {
    expect(readResults({ step: unit, isGreen: true, obstacle: null })).toMatchObject({ passed: 0, failed: 1 });
  });
});
