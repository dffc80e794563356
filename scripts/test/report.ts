/**
 * Summary of a test command: each step's time and tests, the commands that repeat what failed, and a last line with the
 * totals.
 */
import type { EndedStep } from "./run-plan.ts";
import type { Results } from "./read-results.ts";

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
  const repeats = steps.flatMap(({ results }) => results.repeat ?? []);
  const passed = sum(steps.map(({ results }) => results.passed));
  const failed = sum(steps.map(({ results }) => results.failed));
  const parts = [
    "",
    ...align(rows),
    ...(repeats.length === 0 ? [] : ["", "To repeat what failed:", ...repeats.map((command) => `  ${command}`)]),
    "",
    `${passed} passed, ${failed} failed`,
  ];
  return { text: parts.join("\n"), isGreen: failed === 0 };
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
