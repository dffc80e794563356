/**
 * Property tests of the state machines, for any sequence of events: refunds never exceed captures, captures never
 * exceed reservations, a session is paid once, final states stay final, each end is reported once, and the acquirer's
 * records match ours.
 *
 * `ORIEL_PROPERTY_RUNS` sets the number of sequences, and `ORIEL_PROPERTY_SEED` picks them. The default seed is fixed,
 * so that a failure comes from the current change. To search further, set another seed and more runs. A failure prints
 * its seed and the shortest failing sequence found.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { expectNoUnrecordedRequests } from "./model/bank-audit.ts";
import { expectFairRace, races } from "./model/races.ts";
import { Reference } from "./model/reference.ts";
import { sequences } from "./model/sequences.ts";
import { finishEverything } from "./model/world-commands.ts";
import { openWorlds } from "./model/world.ts";

const numRuns = Number(process.env["ORIEL_PROPERTY_RUNS"] ?? 40);
const seed = Number(process.env["ORIEL_PROPERTY_SEED"] ?? 179_960_889);
const options = { seed, numRuns, includeErrorInReport: true };
/** How many shorter sequences to try after a failure. */
const maxShrinks = 150;
/** Far more than needed. These tests don't measure speed. */
const timeout = 60_000 + (numRuns + maxShrinks) * 5_000;

const worlds = await openForTests(openWorlds());

it("sequences of commands match the model, and every invariant holds after each command", { timeout }, async () => {
  const property = fc.asyncProperty(fc.limitShrink(sequences, maxShrinks), async (commands) => {
    const real = await worlds.next();
    const model = new Reference(real.clock);
    await fc.asyncModelRun(() => ({ model, real }), commands);
    await finishEverything(model, real);
  });
  await fc.assert(property, options);
  await expectNoUnrecordedRequests(await worlds.next());
});

it(
  "each race has one winner, whatever the order in which the acquirer receives requests and responds to them",
  { timeout },
  async () => {
    const property = fc.asyncProperty(fc.limitShrink(races, maxShrinks), fc.scheduler(), async (race, scheduler) => {
      await expectFairRace(await worlds.next(), race, scheduler);
    });
    await fc.assert(property, options);
    expect(await expectNoUnrecordedRequests(await worlds.next())).toBeUndefined();
  },
);
