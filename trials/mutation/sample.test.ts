import { describe, expect, it } from "vitest";
import { createChance } from "../chance.ts";
import { sample } from "./sample.ts";

const items = Array.from({ length: 103 }, (_, index) => index);

describe("a sample", () => {
  it.each([1, 2, 10, 70, 102, 103])("of size %i has %i items, in order, one from each part", (count) => {
    for (let seed = 0; seed < 50; seed++) {
      const taken = sample(items, count, createChance(seed));
      expect(taken).toHaveLength(count);
      expect(taken.filter((item, part) => item < Math.floor((part * 103) / count))).toEqual([]);
      expect(taken.filter((item, part) => item >= Math.floor(((part + 1) * 103) / count))).toEqual([]);
    }
  });

  it("is the same for the same seed and different for another", () => {
    expect(sample(items, 10, createChance(1))).toEqual(sample(items, 10, createChance(1)));
    expect(sample(items, 10, createChance(1))).not.toEqual(sample(items, 10, createChance(2)));
  });

  it("contains every item if there are fewer than requested", () => {
    expect(sample([1, 2], 3, createChance(1))).toEqual([1, 2]);
  });
});
