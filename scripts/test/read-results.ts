/** Reads a test runner's results: how many tests passed and failed, and the command to repeat those that failed. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { EndedStep } from "./run-plan.ts";
import type { Step } from "./steps.ts";

export interface Results {
  passed: number;
  failed: number;
  /** The command. Null if nothing failed. */
  repeat: string | null;
}

/** The parts of Vitest's JSON report that are used here. */
interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; status: string }[];
}

/** The parts of Playwright's JSON report that are used here. */
interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: Suite[];
}
interface Suite {
  specs: { ok: boolean; file: string; line: number }[];
  suites?: Suite[];
}

export function resultsFile({ name }: Pick<Step, "name">): string {
  return `test-results/${name}.json`;
}

export function readResults({ step, isGreen, obstacle }: Pick<EndedStep, "step" | "isGreen" | "obstacle">): Results {
  if (obstacle !== null) return { passed: 0, failed: 0, repeat: null };
  const whole = `npx ${step.command.join(" ")}`;
  const { passed, failed, places } = countTests(step, isGreen);
  // If a runner fails without a failed test, for example because it can't load a file, that counts as one failure.
  return failed > 0 || !isGreen
    ? { passed, failed: Math.max(failed, 1), repeat: [whole, ...new Set(places)].join(" ") }
    : { passed, failed: 0, repeat: null };
}

/** @param places - The files or lines that failed, as arguments for the runner. */
function countTests(step: Step, isGreen: boolean): { passed: number; failed: number; places: string[] } {
  switch (step.reporter) {
    case "vitest": {
      const report = read<VitestReport>(step);
      if (report === null) break;
      const files = report.testResults
        .filter(({ status }) => status === "failed")
        .map(({ name }) => relative(".", name));
      return { passed: report.numPassedTests, failed: report.numFailedTests, places: files };
    }
    case "playwright": {
      const report = read<PlaywrightReport>(step);
      if (report === null) break;
      const { expected, unexpected, flaky } = report.stats;
      const places = failedSpecs(report.suites).map(({ file, line }) => `demo/e2e/${file}:${line}`);
      return { passed: expected, failed: unexpected + flaky, places };
    }
    case "webkit": {
      const report = read<{ passed: number; failed: number }>(step);
      if (report === null) break;
      return { ...report, places: [] };
    }
    case undefined:
      return { passed: step.isTest && isGreen ? 1 : 0, failed: 0, places: [] };
  }
  return { passed: 0, failed: 1, places: [] }; // the runner wrote no results
}

function failedSpecs(suites: Suite[]): Suite["specs"] {
  return suites.flatMap(({ specs, suites: inner = [] }) => [...specs.filter(({ ok }) => !ok), ...failedSpecs(inner)]);
}

function read<T>(step: Step): T | null {
  try {
    return JSON.parse(readFileSync(resultsFile(step), "utf8")) as T; // the runner wrote it
  } catch {
    return null;
  }
}
