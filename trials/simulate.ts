/**
 * `npm run simulate`: runs the real service in small worlds on a virtual clock, with an acquirer whose outcomes come
 * later, lost and late messages, dying processes, impatient merchants and customers. Each world follows from its seed.
 * Once it's quiet, the service's ledger must be the acquirer's, and everything else must agree with the money
 * (`reconcile.ts`).
 */
import { parseArgs } from "node:util";
import { isPlantName, plants, type PlantName } from "./simulation/plants.ts";
import { runSeed, type SeedResult } from "./simulation/run-seed.ts";
import { startService, type SimulatedService } from "./simulation/service.ts";

const usage = `npm run simulate [-- options]

Runs the service in worlds on a virtual clock, and compares its ledger with the acquirer's once a world is quiet.

  --seed N       run one world and print what happens
  --seeds N      run this many worlds (default 200)
  --from N       the first of them (default: at random)
  --plant NAME   plant a bug, which must be found:
${Object.entries(plants)
  .map(([name, what]) => `                   ${name.padEnd(22)} ${what}`)
  .join("\n")}
  --help

The exit code is 0 only if everything agreed in every world.
`;

const progressEveryMs = 10_000;
/** Longer than any world takes. */
const hangsAfterMs = 60_000;
/** After so many, more of them say little. */
const maxFailures = 10;

interface Options {
  seed: number | null;
  seeds: number;
  from: number;
  plant: PlantName | null;
}

const options = optionsOrNull();
process.exitCode = options === null ? 0 : await main(options);
process.exit();

function optionsOrNull(): Options | null {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    options: { seed: text, seeds: text, from: text, plant: text, help: { type: "boolean" } },
  });
  if (values.help) {
    console.log(usage);
    return null;
  }
  const number = (value: string | undefined) => (value === undefined ? null : Number(value));
  const [seed, seeds, from] = [values.seed, values.seeds, values.from].map(number);
  const { plant = null } = values;
  const areIntegers = [seed, seeds, from].every((value) => value == null || Number.isSafeInteger(value));
  if (!areIntegers || (plant !== null && !isPlantName(plant))) {
    console.error(usage);
    process.exit(2);
  }
  return {
    seed: seed ?? null,
    seeds: seeds ?? 200,
    from: from ?? Math.floor(Math.random() * 1e9),
    plant,
  };
}

async function main({ seed, seeds, from, plant }: Options): Promise<0 | 1> {
  let service = await startService(plant);
  if (seed !== null) {
    const result = await runOrHang(service, seed);
    console.log(result.lines.join("\n"));
    console.log(`\nmessages ${result.messages}, ledger ${result.ledger}`);
    for (const difference of result.differences) console.log(`Difference: ${difference}`);
    if (result.differences.length === 0) console.log("Everything agrees.");
    return result.differences.length === 0 ? 0 : 1;
  }

  const startedAt = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000;
  const seen = new Map<string, number>();
  let saidAt = startedAt;
  let [done, failures] = [0, 0];
  const summary = () =>
    `${done} worlds, ${(done / elapsedSeconds()).toFixed(1)} a second, ${failures} with differences`;
  for (; done < seeds && failures < maxFailures; done++) {
    const result = await runOrHang(service, from + done);
    for (const [kind, count] of result.seen) seen.set(kind, (seen.get(kind) ?? 0) + count);
    const [first] = result.differences;
    if (first !== undefined) {
      failures++;
      const replay = `npm run simulate -- --seed ${result.seed}${plant === null ? "" : ` --plant ${plant}`}`;
      console.log(`Seed ${result.seed}: ${first}\n  To see what happened: ${replay}`);
    }
    if (result.isBroken) service = await startService(plant);
    if (performance.now() - saidAt < progressEveryMs) continue;
    saidAt = performance.now();
    console.error(`${summary()} so far`);
  }
  const kinds = [...seen].toSorted(([one], [other]) => one.localeCompare(other));
  console.log(kinds.map(([kind, count]) => `${kind}: ${count}`).join(", "));
  console.log(`${summary()}. Seeds ${from} to ${from + done - 1}.`);
  return failures === 0 && done > 0 ? 0 : 1;
}

/** @returns with `isBroken`, the service can't be used for another world */
async function runOrHang(service: SimulatedService, seed: number): Promise<SeedResult & { isBroken?: true }> {
  const broken = (difference: string): SeedResult & { isBroken: true } => ({
    seed,
    differences: [difference],
    lines: [],
    messages: "",
    ledger: "",
    seen: new Map(),
    isBroken: true,
  });
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof broken>>();
  const timer = setTimeout(() => resolve(broken("it hangs")), hangsAfterMs);
  try {
    return await Promise.race([runSeed(service, seed), promise]);
  } catch (error) {
    return broken(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    clearTimeout(timer);
  }
}
