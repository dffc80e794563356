/** Formats the results of a mutation run as text. */
import type { Mutant } from "./mutants.ts";
import type { Outcome } from "./mutation-tests.ts";

export interface Result {
  area: string;
  mutant: Mutant;
  outcome: Outcome;
}

/**
 * The share of mutants that tests detected, in percent. A timeout counts as detected, because the fault keeps the tests
 * from ending.
 */
export function scoreOf(results: readonly Result[]): number {
  const survived = results.filter(({ outcome }) => outcome === "survived").length;
  return results.length === 0 ? 0 : ((results.length - survived) / results.length) * 100;
}

/** A line for each area, a total, and every undetected mutant with its line before and after. */
export function report(results: readonly Result[]): string {
  const areas = [...new Set(results.map(({ area }) => area))];
  const rows = areas.map((area) =>
    row(
      area,
      results.filter((result) => result.area === area),
    ),
  );
  const survivors = results.filter(({ outcome }) => outcome === "survived");
  return [
    cells("area", ["mutants", "killed", "timed out", "survived", "score"]),
    ...rows,
    row("all", results),
    ...survivors.flatMap(({ mutant }) => ["", ...show(mutant)]),
  ].join("\n");
}

export function show({ file, line, operator, before, after }: Mutant): string[] {
  return [`${file}:${line} ${operator}`, `  - ${before}`, `  + ${after}`];
}

function row(name: string, results: readonly Result[]): string {
  const count = (outcome: Outcome) => String(results.filter((result) => result.outcome === outcome).length);
  const score = `${scoreOf(results).toFixed(1)}%`;
  return cells(name, [String(results.length), count("killed"), count("timed out"), count("survived"), score]);
}

function cells(name: string, values: string[]): string {
  return name.padEnd(12) + values.map((value) => value.padStart(10)).join("");
}
