/**
 * Summary of a test command: each step's time and tests, why tests failed, the commands that repeat them, and a last
 * line with the totals. The reasons are repeated here because a step's output is long, and logs are often cut.
 */
import type { EndedStep } from "./run-plan.ts";
import type { Failure, Results } from "./read-results.ts";

const shownFailures = 10;
const shownLines = 12;
/** Lines of a stack trace outside the project. */
const foreign = /^\s+at .*(\/node_modules\/|<anonymous>|node:)/;

export interface Judged extends EndedStep {
  results: Results;
}

export function report(steps: Judged[]): { text: string; isGreen: boolean } {
  const rows = steps.map(({ step, seconds, isGreen, obstacle, results: { passed, failed } }) => [
    step.name,
    `${seconds.toFixed(1)} s`,
    passed + failed === 0 ? "" : `${passed} passed`,
    isGreen ? (obstacle === null ? "" : `not run: ${obstacle}`) : "FAILED",
  ]);
  const failures = steps.flatMap(({ results }) => results.failures);
  const repeats = steps.flatMap(({ results }) => results.repeat ?? []);
  const passed = sum(steps.map(({ results }) => results.passed));
  const failed = sum(steps.map(({ results }) => results.failed));
  const parts = [
    "",
    ...align(rows),
    ...failures.slice(0, shownFailures).flatMap(describe),
    ...(failures.length > shownFailures ? ["", `${failures.length - shownFailures} more failed.`] : []),
    ...(repeats.length === 0 ? [] : ["", "To repeat what failed:", ...repeats.map((command) => `  ${command}`)]),
    "",
    `${passed} passed, ${failed} failed`,
  ];
  return { text: parts.join("\n"), isGreen: failed === 0 };
}

function describe({ test, message }: Failure): string[] {
  const lines = message.split("\n").filter((line) => line.trim() !== "" && !foreign.test(line));
  return ["", `FAILED ${test}`, ...lines.slice(0, shownLines).map((line) => `  ${line}`)];
}

function align(rows: string[][]): string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map(([name = "", time = "", count = "", verdict = ""]) =>
    [name.padEnd(widths[0] ?? 0), time.padStart(widths[1] ?? 0), count.padStart(widths[2] ?? 0), verdict]
      .join("  ")
      .trimEnd(),
  );
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
