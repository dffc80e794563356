/** What every command shares: the time it takes, and what is looked at when it is over. */
import type fc from "fast-check";
import { adopt, expectSame } from "./compare.ts";
import { expectInvariants, readRows } from "./invariants.ts";
import type { Reference } from "./reference.ts";
import type { World } from "./world.ts";

export type Command = fc.AsyncCommand<Reference, World>;

/**
 * @param name with its parameters: a failing sequence is told in these
 * @param isPossible whether there is anything it could be about
 * @param run foretells with the model, does it, and compares the answer
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
  adopt(model, rows);
  expectSame(model, rows);
}

/** One of a list, by a number that means something in any list. */
export function pick<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("Bug: nothing to pick from");
  return found;
}

/** Mostly one that fits, where there is one: a sequence that is refused at every step says little. */
export function aim<T>(list: readonly T[], index: number, isFit: (one: T) => boolean): T {
  const fitting = list.filter(isFit);
  return index % 4 === 3 || fitting.length === 0 ? pick(list, index) : pick(fitting, index);
}
