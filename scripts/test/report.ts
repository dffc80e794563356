/**
 * Summary of a test command: what each step and stage cost, why tests failed, the commands that repeat them, and a last
 * line with the totals. The reasons are repeated here because a step's output is long, and logs are often cut.
 */
import { overBudget, secondsAtUsualSpeed, shareOfBudget, type Budgets } from "./budgets.ts";
import { readResults, type Failure, type Results } from "./read-results.ts";
import type { EndedStage, EndedStep } from "./run-plan.ts";

const shownFailures = 10;
const shownLines = 12;
/** Lines of a stack trace outside the project. */
const foreign = /^\s+at .*(\/node_modules\/|<anonymous>|node:)/;

export interface Judged extends EndedStep {
  results: Results;
  /** Null without a budget. */
  shareOfBudget: number | null;
}

export interface JudgedStage extends EndedStage {
  steps: Judged[];
}

/** @param areBudgetsEnforced - Whether a step over its budget fails. */
export function judge(stages: EndedStage[], budgets: Budgets, areBudgetsEnforced: boolean): JudgedStage[] {
  const judged = (end: EndedStep): Judged => {
    const results = readResults(end);
    const message = areBudgetsEnforced ? overBudget(end, budgets) : null;
    if (message !== null) {
      results.failed++;
      results.failures.push({ test: `budget of ${end.step.name}`, message });
    }
    return { ...end, results, shareOfBudget: shareOfBudget(end, budgets) };
  };
  return stages.map((stage) => ({ ...stage, steps: stage.steps.map(judged) }));
}

/**
 * What each step and stage cost. A step's share is of all cores while it ran. A stage's is what the whole machine did
 * meanwhile, other programs included; it also shows how long both cores waited.
 */
export function costTable(stages: JudgedStage[], cores: number): string {
  const share = (processorSeconds: number, seconds: number) =>
    seconds === 0 ? "" : `${Math.round((100 * processorSeconds) / (seconds * cores))} %`;
  const ofSteps = ({ steps }: JudgedStage) =>
    steps.map(({ step, seconds, processorSeconds, shareOfBudget: ofBudget, ...end }) => [
      step.name,
      seconds.toFixed(1),
      processorSeconds?.toFixed(1) ?? "",
      secondsAtUsualSpeed({ ...end, processorSeconds })?.toFixed(1) ?? "",
      processorSeconds === null ? "" : share(processorSeconds, seconds),
      ofBudget === null ? "" : `${Math.round(ofBudget * 100)} %`,
      end.results.passed + end.results.failed === 0 ? "" : `${end.results.passed} passed`,
      verdict(end),
    ]);
  const ran = stages.filter(({ steps }) => steps.length > 0);
  const ofStages = ran.map(({ steps, seconds, machineSeconds }) => [
    `${steps[0]?.step.name}${steps.length > 1 ? ` and ${steps.length - 1} more` : ""}`,
    seconds.toFixed(1),
    machineSeconds.toFixed(1),
    "",
    share(machineSeconds, seconds),
  ]);
  const seconds = sum(ran.map((stage) => stage.seconds));
  const worked = sum(ran.map((stage) => stage.machineSeconds));
  return align([
    ["step", "seconds", "processor seconds", "at usual speed", `share of ${cores} cores`, "of budget"],
    ...ran.flatMap(ofSteps),
    [],
    ["stage", "seconds", "processor seconds", "", `share of ${cores} cores`],
    ...ofStages,
    ["total", seconds.toFixed(1), worked.toFixed(1), "", share(worked, seconds)],
  ]).join("\n");
}

function verdict({ results, limitation, isSkipped }: Pick<Judged, "results" | "limitation" | "isSkipped">): string {
  const parts = [
    results.failed === 0 ? [] : ["FAILED"],
    limitation === null ? [] : [`${isSkipped ? "not run" : "in part"}: ${limitation}`],
  ];
  return parts.flat().join(", ");
}

export function report(steps: Judged[]): { text: string; isGreen: boolean } {
  const failures = steps.flatMap(({ results }) => results.failures);
  const repeats = steps.flatMap(({ results }) => results.repeat ?? []);
  const passed = sum(steps.map(({ results }) => results.passed));
  const failed = sum(steps.map(({ results }) => results.failed));
  const parts = [
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

/** The first and the last column to the left, numbers to the right. */
function align(rows: string[][]): string[] {
  const widths = [0, 1, 2, 3, 4, 5, 6].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
