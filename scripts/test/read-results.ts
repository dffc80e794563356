/**
 * Reads a test runner's results: how many tests passed and failed, why they failed, and the command to repeat those that
 * failed.
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { resultsFile, type EndedStep } from "./run-plan.ts";
import type { Step } from "./steps.ts";

const lastLines = 11;

export interface Results {
  passed: number;
  failed: number;
  /** The command. Null if nothing failed. */
  repeat: string | null;
  failures: Failure[];
}

export interface Failure {
  /** Its file and name, or only the file if that couldn't be run. */
  test: string;
  /** Plain text, often several lines. */
  message: string;
}

/** The parts of Vitest's JSON report that are used here. */
interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    /** Why the file couldn't be run. */
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

/** The parts of Playwright's JSON report that are used here. */
interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: Suite[];
}
interface Suite {
  specs: {
    ok: boolean;
    title: string;
    file: string;
    line: number;
    tests: { results: { error?: { message?: string } }[] }[];
  }[];
  suites?: Suite[];
}

type Ended = Pick<EndedStep, "step" | "isGreen" | "output" | "isSkipped">;

export function readResults({ step, isGreen, output, isSkipped }: Ended): Results {
  if (isSkipped) return { passed: 0, failed: 0, repeat: null, failures: [] };
  const whole = `npx ${step.command.join(" ")}`;
  const { passed, failed, places, failures } = countTests(step, isGreen);
  if (!isGreen && failures.length === 0) failures.push({ test: step.name, message: ends(output) });
  // If a runner fails without a failed test, for example because it can't load a file, that counts as one failure.
  return failed > 0 || !isGreen
    ? { passed, failed: Math.max(failed, 1), repeat: [whole, ...new Set(places)].join(" "), failures }
    : { passed, failed: 0, repeat: null, failures: [] };
}

interface Count {
  passed: number;
  failed: number;
  /** The files or lines that failed, as arguments for the runner. */
  places: string[];
  failures: Failure[];
}

function countTests(step: Step, isGreen: boolean): Count {
  switch (step.reporter) {
    case "vitest": {
      const report = read<VitestReport>(step);
      if (report === null) break;
      const files = report.testResults.filter(({ status }) => status === "failed");
      return {
        passed: report.numPassedTests,
        failed: report.numFailedTests,
        places: files.map(({ name }) => relative(".", name)),
        failures: files.flatMap(vitestFailures),
      };
    }
    case "playwright": {
      const report = read<PlaywrightReport>(step);
      if (report === null) break;
      const { expected, unexpected, flaky } = report.stats;
      const specs = failedSpecs(report.suites);
      return {
        passed: expected,
        failed: unexpected + flaky,
        places: specs.map(placeOf),
        failures: specs.map((spec) => ({ test: `${placeOf(spec)} ${spec.title}`, message: playwrightMessage(spec) })),
      };
    }
    case "webkit": {
      const report = read<{ passed: number; failed: number }>(step);
      if (report === null) break;
      return { ...report, places: [], failures: [] };
    }
    case undefined:
      return { passed: step.isTest && isGreen ? 1 : 0, failed: 0, places: [], failures: [] };
  }
  return { passed: 0, failed: 1, places: [], failures: [] }; // the runner wrote no results
}

/** The first line of an output, which says what was started (for example the seed), and the last ones. */
function ends(output: string): string {
  const [first = "", ...others] = stripVTControlCharacters(output).trim().split("\n");
  return [first, ...others.slice(-lastLines)].join("\n");
}

function vitestFailures({ name, message, assertionResults }: VitestReport["testResults"][number]): Failure[] {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0) return [{ test: relative(".", name), message: stripVTControlCharacters(message) }];
  return failed.map(({ fullName, failureMessages }) => ({
    test: `${relative(".", name)} ${fullName}`,
    message: stripVTControlCharacters((failureMessages ?? []).join("\n")),
  }));
}

/** Of its first failed run, because a later one of the same test may have passed. */
function playwrightMessage({ tests }: Suite["specs"][number]): string {
  const errors = tests.flatMap(({ results }) => results.flatMap(({ error }) => error ?? []));
  return stripVTControlCharacters(errors[0]?.message ?? "");
}

function placeOf({ file, line }: Suite["specs"][number]): string {
  return `demo/e2e/${file}:${line}`;
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
