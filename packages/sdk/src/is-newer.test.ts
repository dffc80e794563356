import { expect, test } from "vitest";
import { isNewer } from "./is-newer.ts";

test.each([
  [1, undefined, true],
  [7, null, true],
  [1, 0, true],
  [8, 7, true],
  [9, 7, true],
  [7, 7, false],
  [6, 7, false],
  [10, 9, true],
])("returns for sequence number %i after %s: %s", (object_sequence, lastSequence, newer) => {
  expect(isNewer({ object_sequence }, lastSequence)).toBe(newer);
});

test("skips outdated events when webhooks are repeated or out of order", () => {
  const arriving = [2, 1, 4, 4, 3, 5, 1, 2];
  let last: number | undefined;
  const done: number[] = [];
  for (const object_sequence of arriving) {
    if (!isNewer({ object_sequence }, last)) continue;
    done.push(object_sequence);
    last = object_sequence;
  }
  expect(done).toEqual([2, 4, 5]);
});

test.each<[string, unknown]>([
  ["a string", "7"],
  ["a bigint", 7n],
  ["NaN", Number.NaN],
  ["a fraction", 1.5],
])("refuses %s and says what to do", (_what, lastSequence) => {
  // TypeScript forbids these values, but database drivers return them.
  expect(() => isNewer({ object_sequence: 8 }, lastSequence as number)).toThrow(/Number\(/);
});
