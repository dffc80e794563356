/**
 * `npm test` and `npm run test:full`: runs every step, even after a failure, then prints each step's duration and how
 * to repeat what failed. The steps are in `test/steps.ts`. Exits with 0 if all of them passed.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { readBudgets, writeBudgets } from "./test/budgets.ts";
import { cores } from "./test/processor-time.ts";
import { costTable, judge, report } from "./test/report.ts";
import { clearResults, runPlan } from "./test/run-plan.ts";
import { full, quick, type Plan } from "./test/steps.ts";

const usage = `npm test [-- options]            lint, format, types, unit tests, API tests on PostgreSQL (some on PGlite), two
                                 chaos runs, and the main flows in Chromium
npm run test:full [-- options]   everything else: other API tests, PostgreSQL 15, connectors, chaos runs,
                                 simulation, and other tests in Chromium, Firefox and WebKit

  --only STEPS       only these comma-separated steps
  --list             print the steps and their commands
  --record-budgets   write the processor time of these steps to scripts/test/budgets.json
  --help

With ORIEL_TEST_INSTALL=never, a missing browser is an error instead of being installed. If CI is set, a step that
needs 10% more processor time than its budget fails, unless the machine is much slower than usual.`;

const { values } = parseArgs({
  options: {
    full: { type: "boolean" },
    only: { type: "string" },
    "record-budgets": { type: "boolean" },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});
const plan = values.full ? full : quick;
const names = plan.flat(2).map(({ name }) => name);
const chosen = values.only?.split(",") ?? names;
const unknown = chosen.filter((name) => !names.includes(name));
if (values.help) {
  console.log(usage);
} else if (unknown.length > 0) {
  console.error(`Unknown steps: ${unknown.join(", ")}. Available steps: ${names.join(", ")}`);
  process.exitCode = 2;
} else if (values.list) {
  for (const { name, command } of plan.flat(2)) console.log(`${name.padEnd(16)} npx ${command.join(" ")}`);
} else {
  process.exitCode = await run(only(plan, chosen));
}

async function run(taken: Plan): Promise<0 | 1> {
  clearResults();
  const stages = judge(await runPlan(taken), readBudgets(), Boolean(process.env["CI"]));
  const table = costTable(stages, cores);
  writeFileSync(`test-results/cost-of-${values.full ? "test-full" : "test"}.txt`, `${table}\n`);
  const steps = stages.flatMap((stage) => stage.steps);
  const { text, isGreen } = report(steps);
  console.log(`\n${table}\n${text}`);
  if (values["record-budgets"]) writeBudgets(steps);
  return isGreen ? 0 : 1;
}

function only(all: Plan, wanted: string[]): Plan {
  return all.map((stage) => stage.map((lane) => lane.filter(({ name }) => wanted.includes(name))));
}
