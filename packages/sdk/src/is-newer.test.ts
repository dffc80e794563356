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
])("event %i is newer than %s: %s", (object_sequence, lastSequence, newer) => {
  expect(isNewer({ object_sequence }, lastSequence)).toBe(newer);
});

test("deliveries in any order and twice leave the object as its last event says", () => {
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
  ["a text", "7"],
  ["a bigint", 7n],
  ["no number", Number.NaN],
  ["a fraction", 1.5],
])("%s is refused and says what to do, for it would let the past through or stop everything", (_what, lastSequence) => {
  // The types forbid it; a database's driver does it.
  expect(() => isNewer({ object_sequence: 8 }, lastSequence as number)).toThrow(/Number\(/);
});
