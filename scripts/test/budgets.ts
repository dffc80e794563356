/**
 * Budgets of processor time, so that the tests don't become slower unnoticed. `budgets.json` has the processor seconds
 * of steps at the usual speed (`machine-speed.ts`), the most of several runs. Short steps have none, because the speed
 * is measured too rarely in them, and neither have chaos runs, the simulation and the types, whose figures differ by
 * half. `npm test -- --record-budgets` and `npm run test:full -- --record-budgets` replace them with the figures of one
 * run.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EndedStep } from "./run-plan.ts";

export type Budgets = Record<string, number>;

const file = join(import.meta.dirname, "budgets.json");
/** Two runs of the same tests differ by a few percent. */
const tolerance = 1.1;
/**
 * On a machine slower than this, converted seconds say too little: starting processes and reading memory have been up to
 * 20 times slower while the measured work was 1.4 times slower.
 */
const comparableSlowness = 1.2;

export function readBudgets(): Budgets {
  return JSON.parse(readFileSync(file, "utf8")) as Budgets; // writeBudgets wrote it
}

/** Replaces the budgets of those steps that have one, ran completely and passed. */
export function writeBudgets(steps: EndedStep[]): void {
  const budgets = readBudgets();
  for (const end of steps) {
    const { step, isGreen, limitation } = end;
    const seconds = isGreen && limitation === null ? secondsAtUsualSpeed(end) : null;
    if (step.name in budgets && seconds !== null) budgets[step.name] = Math.ceil(seconds);
  }
  writeFileSync(file, `${JSON.stringify(budgets, null, 2)}\n`);
}

/** Its share of the budget. Null if it has none, or if it didn't run as a whole. */
export function shareOfBudget(end: EndedStep, budgets: Budgets): number | null {
  const budget = budgets[end.step.name];
  const seconds = end.limitation === null ? secondsAtUsualSpeed(end) : null;
  return budget === undefined || seconds === null ? null : seconds / budget;
}

/** Says that a step exceeded its budget. Null if it didn't, or if the machine is too slow to tell. */
export function overBudget(end: EndedStep, budgets: Budgets): string | null {
  const share = shareOfBudget(end, budgets);
  if (share === null || share <= tolerance || end.slowness > comparableSlowness) return null;
  return (
    `The step used ${Math.round(share * 100)}% of its budget of ${budgets[end.step.name]} processor seconds. Find out what ` +
    "became slower. If the increase is necessary, record a new budget with --record-budgets."
  );
}

/**
 * Converts only the seconds of slower machines. A faster machine isn't faster at everything that the tests do, so its
 * converted seconds would be too high.
 */
export function secondsAtUsualSpeed({
  processorSeconds,
  slowness,
}: Pick<EndedStep, "processorSeconds" | "slowness">): number | null {
  return processorSeconds === null ? null : processorSeconds / Math.max(slowness, 1);
}
