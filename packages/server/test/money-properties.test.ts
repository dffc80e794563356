/**
 * Properties of the state machines, whatever happens in whatever order: no more is given back than was taken and no
 * more taken than was reserved, a session is paid once, what is final stays final, every end is told once, and the
 * bank's books agree with ours.
 *
 * `ORIEL_PROPERTY_RUNS` says how many sequences are tried, `ORIEL_PROPERTY_SEED` which ones: the same each time if it
 * is not set, so that a failure is of the change at hand; others, and many more, by hand. A failure prints its seed and
 * the shortest sequence that was found to fail.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectNothingUnknownToUs } from "./model/bank-audit.ts";
import { expectFairRace, races } from "./model/races.ts";
import { Reference } from "./model/reference.ts";
import { sequences } from "./model/sequences.ts";
import { comeToAnEnd } from "./model/world-commands.ts";
import { openWorlds, type Worlds } from "./model/world.ts";

const numRuns = Number(process.env["ORIEL_PROPERTY_RUNS"] ?? 40);
const seed = Number(process.env["ORIEL_PROPERTY_SEED"] ?? 179_960_889);
const options = { seed, numRuns, includeErrorInReport: true };
/** How many shorter ones are tried in place of one that fails. */
const maxShrinks = 150;
/** Far more than it takes: nothing here is about speed. */
const timeout = 60_000 + (numRuns + maxShrinks) * 5_000;

let worlds: Worlds;
beforeAll(async () => {
  worlds = await openWorlds();
});
afterAll(() => worlds.close());

it("does what the model foretells, command by command, and every invariant holds after each", { timeout }, async () => {
  const property = fc.asyncProperty(fc.limitShrink(sequences, maxShrinks), async (commands) => {
    const real = await worlds.next();
    const model = new Reference(real.clock);
    await fc.asyncModelRun(() => ({ model, real }), commands);
    await comeToAnEnd(model, real);
  });
  await fc.assert(property, options);
  await expectNothingUnknownToUs(await worlds.next());
});

it("has one winner of each race, in whatever order the bank hears and answers", { timeout }, async () => {
  const property = fc.asyncProperty(fc.limitShrink(races, maxShrinks), fc.scheduler(), async (race, scheduler) => {
    await expectFairRace(await worlds.next(), race, scheduler);
  });
  await fc.assert(property, options);
  expect(await expectNothingUnknownToUs(await worlds.next())).toBeUndefined();
});
