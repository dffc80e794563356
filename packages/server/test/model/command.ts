/** What all commands have in common: each takes some time and is followed by the same checks. */
import type fc from "fast-check";
import { assignIds, expectModelMatches } from "./compare.ts";
import { expectInvariants, readRows } from "./invariants.ts";
import type { Reference } from "./reference.ts";
import type { World } from "./world.ts";

export type Command = fc.AsyncCommand<Reference, World>;

/**
 * @param name includes the parameters, so that the name shows what a failing sequence did
 * @param isPossible whether the model has anything to apply it to
 * @param run predicts with the model, executes, and compares the response
 */
export function command(
  name: string,
  isPossible: (model: Readonly<Reference>) => boolean,
  run: (model: Reference, world: World) => Promise<void>,
): Command {
  return {
    check: (model) => isPossible(model),
    async run(model, world) {
      world.clock.ms += 1;
      await run(model, world);
      await world.settled();
      await compareAll(model, world);
    },
    toString: () => name,
  };
}

export async function compareAll(model: Reference, world: World): Promise<void> {
  const rows = await readRows(world);
  expectInvariants(rows, world.final);
  assignIds(model, rows);
  expectModelMatches(model, rows);
}

/** Picks an item by index. An index past the end of the list wraps around. */
export function pick<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("Bug: nothing to pick from");
  return found;
}

/** Usually picks a suitable item if there is one. A sequence in which every step is refused would test little. */
export function pickFitting<T>(list: readonly T[], index: number, isFit: (one: T) => boolean): T {
  const fitting = list.filter(isFit);
  return index % 4 === 3 || fitting.length === 0 ? pick(list, index) : pick(fitting, index);
}
