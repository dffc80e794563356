/**
 * `npm run mutate`: puts small faults into the code that guards money and secrets, one at a time, and runs the tests
 * that should detect them. It prints each undetected fault. Add a test for it or, if no test can detect it, an entry in
 * `mutation/equivalent.ts`. Exits with 0 if at least 95% were detected.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createChance } from "./chance.ts";
import { areas, type Group } from "./mutation/areas.ts";
import { equivalents, leaveOut } from "./mutation/equivalent.ts";
import { applyEdit, mutantsOf, type Mutant } from "./mutation/mutants.ts";
import { openTests } from "./mutation/mutation-tests.ts";
import { report, scoreOf, show, type Result } from "./mutation/report.ts";
import { sample } from "./mutation/sample.ts";

const minScore = 95;
const usage = `npm run mutate [-- options]   puts faults into the code one at a time and counts those that no test detects

  --count N    number of faults, spread evenly over the areas (default 240)
  --area A     only these comma-separated areas: ${Object.keys(areas).join(", ")}
  --file TEXT  only files whose path contains TEXT
  --seed N     pick other faults (default 1)
  --list       print the faults and run nothing
  --help

No file is changed. Exit code 1: tests detected less than ${minScore}% of the faults.`;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "240" },
    area: { type: "string", default: Object.keys(areas).join(",") },
    file: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});
const names = values.area.split(",");
const unknown = names.filter((name) => !Object.hasOwn(areas, name));
const [count, seed] = [Number(values.count), Number(values.seed)];
if (values.help) {
  console.log(usage);
} else if (unknown.length > 0 || !(Number.isInteger(count) && count > 0) || !Number.isInteger(seed)) {
  console.error(usage);
  process.exitCode = 2;
} else {
  const plan = takeMutants();
  if (values.list) for (const { mutant } of plan) console.log(show(mutant).join("\n"));
  // Set it even to 0, because Vitest sets its own exit codes.
  else process.exitCode = (await run(plan)) ? 0 : 1;
}

interface Planned {
  area: string;
  group: Group;
  mutant: Mutant;
}

/** @throws Error if an entry in the list of equivalent mutants matches no mutant */
function takeMutants(): Planned[] {
  const all = Object.entries(areas).flatMap(([area, groups]) =>
    groups.flatMap((group) =>
      group.sources.flatMap((file) =>
        mutantsOf(file, readFileSync(file, "utf8")).map((mutant) => ({ area, group, mutant })),
      ),
    ),
  );
  const { left, stale } = leaveOut(
    all.map(({ mutant }) => mutant),
    equivalents,
  );
  if (stale.length > 0)
    throw new Error(`In trials/mutation/equivalent.ts, these match no mutant: ${JSON.stringify(stale, null, 2)}`);
  const usable = all.filter(({ mutant }) => left.includes(mutant) && mutant.file.includes(values.file));
  return names.flatMap((name) =>
    sample(
      usable.filter(({ area }) => area === name),
      Math.ceil(count / names.length),
      createChance(seed, name),
    ),
  );
}

async function run(plan: readonly Planned[]): Promise<boolean> {
  // The tests' database stops when this process exits, but not when a signal kills this process.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
  const tests = await openTests();
  const results: Result[] = [];
  try {
    for (const group of new Set(plan.map(({ group }) => group))) {
      const specifications = await tests.find(group.tests);
      const startedAt = performance.now();
      const asItIs = await tests.run(specifications, null, 10 * 60_000);
      if (asItIs !== "survived") {
        throw new Error(`The tests fail without a fault in the code:\n${tests.failures().join("\n")}`);
      }
      const limitMs = 3 * (performance.now() - startedAt) + 15_000;
      for (const { area, mutant } of plan.filter((planned) => planned.group === group)) {
        const text = applyEdit(readFileSync(mutant.file, "utf8"), mutant);
        const began = performance.now();
        const outcome = await tests.run(specifications, { file: mutant.file, text }, limitMs);
        results.push({ area, mutant, outcome });
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        console.log(
          `${results.length}/${plan.length} ${outcome} after ${seconds} s: ${mutant.file}:${mutant.line} ${mutant.operator}`,
        );
        if (outcome === "survived") console.log(show(mutant).slice(1).join("\n"));
      }
    }
  } finally {
    await tests.close();
  }
  console.log(`\n${report(results)}`);
  return scoreOf(results) >= minScore;
}
