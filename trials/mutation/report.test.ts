import { describe, expect, it } from "vitest";
import { mutantsOf } from "./mutants.ts";
import { report, scoreOf, type Result } from "./report.ts";

const [mutant] = mutantsOf("example.ts", "f = a < b;");
if (mutant === undefined) throw new Error("Bug: no mutant");
const result = (area: string, outcome: Result["outcome"]): Result => ({ area, mutant, outcome });

describe("the report of a mutation run", () => {
  it("counts mutants by area and shows each survivor's line before and after", () => {
    const results = [
      result("money", "killed"),
      result("money", "timed out"),
      result("vault", "killed"),
      result("vault", "survived"),
    ];
    expect(
      report(results)
        .split("\n")
        .map((line) => line.replace(/ +/g, " ")),
    ).toEqual([
      "area mutants killed timed out survived score",
      "money 2 1 1 0 100.0%",
      "vault 2 1 0 1 50.0%",
      "all 4 2 1 1 75.0%",
      "",
      "example.ts:1 comparison",
      " - f = a < b;",
      " + f = a <= b;",
    ]);
  });

  it("has a score of 0 if nothing ran", () => {
    expect(scoreOf([])).toBe(0);
  });
});
