import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Budgets } from "./budgets.ts";
import { readResults } from "./read-results.ts";
import { costTable, judge, report } from "./report.ts";
import type { EndedStep } from "./run-plan.ts";
import type { Step } from "./steps.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const unit: Step = { name: "unit", command: ["vitest", "run", "--project", "unit"], reporter: "vitest" };
const browser: Step = { name: "chromium", command: ["playwright", "test"], reporter: "playwright" };
const lint: Step = { name: "lint", command: ["oxlint"] };
const chaos: Step = { name: "chaos", command: ["node", "trials/chaos.ts"], isTest: true };

let folder: string;
const home = process.cwd();
beforeEach(() => {
  folder = temporaryDirectory(onTestFinished);
  process.chdir(folder);
  mkdirSync("test-results");
});
afterEach(() => process.chdir(home));

const write = (name: string, json: unknown) => writeFileSync(`test-results/${name}.json`, JSON.stringify(json));
const green = {
  seconds: 1,
  processorSeconds: 1,
  slowness: 1,
  isGreen: true,
  output: "",
  limitation: null,
  isSkipped: false,
};
const red = { ...green, isGreen: false };
const judged = (steps: EndedStep[], budgets: Budgets = {}, areBudgetsEnforced = true) =>
  judge([{ steps, seconds: 0, machineSeconds: 0 }], budgets, areBudgetsEnforced).flatMap((stage) => stage.steps);
const suites = (ok: boolean) => {
  const results = ok ? [{}] : [{ error: { message: "\u001B[31mExpected: Paid\u001B[39m" } }, {}];
  const spec = { ok, title: "pays", file: "pay.spec.ts", line: 29, tests: [{ results }] };
  return [{ specs: [], suites: [{ specs: [spec] }] }];
};

describe("the report of a test command", () => {
  it("counts the passed tests and lists no commands to repeat", () => {
    write("unit", { numPassedTests: 12, numFailedTests: 0, testResults: [] });
    write("chromium", { stats: { expected: 3, unexpected: 0, flaky: 0 }, suites: suites(true) });
    const ended = [unit, browser, lint, chaos].map((step) => ({
      ...green,
      step,
      seconds: 1.26,
      processorSeconds: 2,
      slowness: 2,
    }));
    const steps = judged(ended, { unit: 4, chaos: 0.92 });
    expect(report(steps)).toEqual({ text: "\n16 passed, 0 failed", isGreen: true });
    const stages = [
      { steps: steps.slice(0, 1), seconds: 1.26, machineSeconds: 2.52 },
      { steps: steps.slice(1), seconds: 2.4, machineSeconds: 1.2 },
      { steps: [], seconds: 0, machineSeconds: 0 },
    ];
    expect(costTable(stages, 2).split("\n")).toEqual([
      "step                 seconds  processor seconds  at usual speed  share of 2 cores  of budget",
      "unit                     1.3                2.0             1.0              79 %       25 %  12 passed",
      "chromium                 1.3                2.0             1.0              79 %              3 passed",
      "lint                     1.3                2.0             1.0              79 %",
      "chaos                    1.3                2.0             1.0              79 %      109 %   1 passed",
      "",
      "stage                seconds  processor seconds                  share of 2 cores",
      "unit                     1.3                2.5                             100 %",
      "chromium and 2 more      2.4                1.2                              25 %",
      "total                    3.7                3.7                              51 %",
    ]);
  });

  it("lists what failed, why, and how to repeat only that: files, tests or the whole step", () => {
    const passed = { fullName: "adds", status: "passed", failureMessages: [] };
    const failed = {
      fullName: "divides",
      status: "failed",
      failureMessages: ["Error: got 2\n\n    at a.test.ts:3\n    at /node_modules/vitest"],
    };
    const testResults = [
      { name: join(process.cwd(), "a.test.ts"), status: "failed", message: "", assertionResults: [passed, failed] },
      { name: join(process.cwd(), "b.test.ts"), status: "passed", message: "", assertionResults: [passed] },
      { name: join(process.cwd(), "c.test.ts"), status: "failed", message: "No c.ts", assertionResults: [] },
    ];
    write("unit", { numPassedTests: 11, numFailedTests: 2, testResults });
    write("chromium", { stats: { expected: 2, unexpected: 0, flaky: 1 }, suites: suites(false) });
    const ended = [unit, browser, lint].map((step) => ({ ...red, step }));
    const { text, isGreen } = report(judged(ended));
    expect(text.split("\n")).toEqual([
      "",
      "FAILED a.test.ts divides",
      "  Error: got 2",
      "      at a.test.ts:3",
      "",
      "FAILED c.test.ts",
      "  No c.ts",
      "",
      "FAILED demo/e2e/pay.spec.ts:29 pays",
      "  Expected: Paid",
      "",
      "FAILED lint",
      "",
      "To repeat what failed:",
      "  npx vitest run --project unit a.test.ts c.test.ts",
      "  npx playwright test demo/e2e/pay.spec.ts:29",
      "  npx oxlint",
      "",
      "13 passed, 4 failed",
    ]);
    expect(isGreen).toBe(false);
  });

  it("shows only the beginning of long messages and many failures", () => {
    const message = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
    const assertionResults = Array.from({ length: 14 }, (_, index) => ({
      fullName: `test ${index}`,
      status: "failed",
      failureMessages: [message],
    }));
    const testResults = [{ name: join(process.cwd(), "a.test.ts"), status: "failed", message: "", assertionResults }];
    write("unit", { numPassedTests: 0, numFailedTests: 14, testResults });
    const end = { ...red, step: unit };
    const { text } = report(judged([end]));
    expect(text.match(/^FAILED /gm)).toHaveLength(10);
    expect(text.match(/^ {2}line \d+$/gm)).toHaveLength(10 * 12);
    expect(text).toContain("\n4 more failed.\n");
  });

  it("shows the first and the last lines of a step that has no tests", () => {
    const progress = Array.from({ length: 30 }, (_, line) => `${line} s`);
    const output = ["seed 7: 12 kills", ...progress, "", "WRONG lost: the capture att_1", ""].join("\n");
    const { text } = report(judged([{ ...red, step: chaos, output }]));
    expect(text.split("\n").slice(1, 4)).toEqual(["FAILED chaos", "  seed 7: 12 kills", "  21 s"]);
    expect(text).toContain("\n  WRONG lost: the capture att_1\n");
  });

  it("fails a step that needs a tenth more processor time than its budget, where budgets are enforced", () => {
    const expensive = { ...green, step: lint, processorSeconds: 13.2, slowness: 1.1 };
    const message =
      "The step used 120% of its budget of 10 processor seconds. Find out what became slower. If the increase is necessary, record a new budget with --record-budgets.";
    expect(report(judged([expensive], { lint: 10 }))).toEqual({
      text: `\nFAILED budget of lint\n  ${message}\n\n0 passed, 1 failed`,
      isGreen: false,
    });
    expect(report(judged([expensive], { lint: 11 })).isGreen).toBe(true);
    const onFastMachine = { ...green, step: lint, processorSeconds: 10, slowness: 0.5 };
    expect(report(judged([onFastMachine], { lint: 10 })).isGreen).toBe(true);
    expect(report(judged([expensive], { lint: 10 }, false)).isGreen).toBe(true);
    const onSlowMachine = { ...expensive, processorSeconds: 24, slowness: 1.3 };
    expect(report(judged([onSlowMachine], { lint: 10 })).isGreen).toBe(true);
  });

  it("counts a runner as failed if it exits with an error but has no failed test or no results", () => {
    write("unit", { numPassedTests: 11, numFailedTests: 0, testResults: [] });
    expect(readResults({ ...red, step: unit })).toMatchObject({ passed: 11, failed: 1 });
    expect(readResults({ ...red, step: browser })).toMatchObject({ passed: 0, failed: 1 });
  });

  it("says why a step was skipped, and counts that as success", () => {
    const end = { ...green, step: browser, seconds: 0, limitation: "Firefox is too old.", isSkipped: true };
    expect(report(judged([end])).isGreen).toBe(true);
    const table = costTable([{ steps: judged([end]), seconds: 0, machineSeconds: 0 }], 2);
    expect(table).toMatch(/^chromium .*not run: Firefox is too old\.$/m);
  });

  it("fails if a runner wrote no results", () => {
    expect(readResults({ ...green, step: unit })).toMatchObject({ passed: 0, failed: 1 });
  });
});
