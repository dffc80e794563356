/**
 * `npm run simulate:card-testing`: twelve attacks on a shop, each with 5,000 numbers in a week of virtual time: ten with
 * stolen numbers, and two that only keep customers from paying. The risk rules, the admission and the payments are the
 * service's own, on a real PostgreSQL. Prints what the attacker learned, what honest customers noticed, and how many of them
 * couldn't pay.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readServiceConfig } from "../packages/server/src/service-config.ts";
import { openService } from "../packages/server/src/service.ts";
import { startPostgres } from "../packages/server/test/setup/postgres.ts";
import { runShape, type Honest, type Result } from "./card-testing/run.ts";
import { shapes } from "./card-testing/shapes.ts";
import { openWorld, population } from "./card-testing/world.ts";
import { createChance } from "../trials/chance.ts";

const usage = `npm run simulate:card-testing [-- options]

Simulates attackers who try stolen or made-up card numbers at a shop, for a week of virtual time.

  --shape NAME   only this one: ${shapes.map(({ name }) => name).join(", ")}
  --numbers N    numbers to try (default 5000)
  --before       apply the risk rules as they were before new customers needed tokens
  --seed N       repeat the choices of an earlier run (default 1)
  --help
`;

/** More approvals than the refilled tokens explain. With 40 tokens and 5% working numbers, two are expected. */
const maxBeyondRefill = 5;
const minPaid = 0.99;

process.exitCode = await main();
process.exit();

async function main(): Promise<number> {
  const options = {
    shape: { type: "string" },
    numbers: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
    before: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const chosen = shapes.filter(({ name }) => values.shape === undefined || name === values.shape);
  const [numbers, seed] = [Number(values.numbers), Number(values.seed)];
  if (chosen.length === 0 || !Number.isSafeInteger(numbers) || !Number.isSafeInteger(seed)) {
    console.error(usage);
    return 2;
  }

  const directory = mkdtempSync(join(tmpdir(), "oriel-card-testing-"));
  const postgres = await startPostgres({ durable: false });
  let time = new Date("2026-06-01T00:00:00Z");
  const config = readServiceConfig({
    DATABASE_URL: postgres.url,
    ORIEL_DATA_DIR: directory,
    BANK_API_KEY: "not used by the simulation",
    BANK_RESULTS_KEY: "not used by the simulation either",
    ORIEL_RISK: values.before ? "new_customers=off" : "on",
    ORIEL_LOG_LEVEL: "error",
  });
  const log = { info() {}, warn() {}, error: (details: object, message: string) => console.error(message, details) };
  const service = await openService({ ...config, role: "api" }, log, {
    openClock: async () => ({ now: () => time, stop() {} }),
    declineStepMs: 0,
  });
  const results: Result[] = [];
  try {
    for (const shape of chosen) {
      const world = await openWorld(service.context, shape.name);
      const clock = { set: (next: Date) => void (time = next) };
      const sayDay = (day: number) => console.error(`Simulating: ${shape.name}, day ${day} of 7`);
      // Before, saving a card had the same rules as a payment. Now it always requires a challenge.
      const attack = values.before ? { ...shape, mode: "payment" as const } : shape;
      const result = await runShape(world, clock, attack, numbers, createChance(seed, shape.name), sayDay);
      results.push(result);
      print(result, results.length === 1);
    }
  } finally {
    await service.close();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  const wrong = results.filter(
    (result) =>
      beyondRefill(result) > maxBeyondRefill ||
      paidShare(result.honest) < minPaid ||
      (isForNothing(result) && paidShare(result.honestWithout3ds) < minPaid),
  );
  for (const { shape } of wrong)
    console.error(`The attacker learned too much, or too few customers could pay: ${shape}`);
  return wrong.length > 0 && !values.before ? 1 : 0;
}

/**
 * Whether it's an attack that needs neither stolen numbers nor an address for each try. It must not keep anyone from paying.
 */
function isForNothing({ shape }: Result): boolean {
  return shapes.some(({ name, working, triesPerAddress }) => name === shape && working === 0 && triesPerAddress > 1);
}

function beyondRefill({ learned, refilled }: Result): number {
  return Math.max(0, learned - refilled * population.working);
}

function lost({ customers, paid }: Honest): number {
  return customers - paid;
}

function paidShare({ customers, paid }: Honest): number {
  return customers === 0 ? 1 : paid / customers;
}

function print(result: Result, withHead: boolean): void {
  const row = [
    result.shape,
    `${result.shopPerHour}/h`,
    String(result.tried),
    String(result.reachedAcquirer),
    String(result.learned),
    beyondRefill(result).toFixed(1),
    String(result.refilled),
    percent(result.declineRate),
    percent(paidShare(result.honest)),
    percent(result.honest.challenged / Math.max(1, result.honest.customers)),
    percent(paidShare(result.honestWithout3ds)),
    String(lost(result.honest) + lost(result.honestWithout3ds)),
  ];
  const head = [
    "attack",
    "shop",
    "tried",
    "at the acquirer",
    "learned",
    "learned beyond the refill",
    "refilled",
    "declines",
    "honest: paid",
    "challenged by Oriel",
    "without 3-D Secure: paid",
    "honest: lost",
  ];
  if (withHead) console.log(head.join(" | "));
  console.log(row.join(" | "));
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
