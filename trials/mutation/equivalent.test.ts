/** Checks the tables of `npm run mutate` against the code, without running a mutant. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { areas } from "./areas.ts";
import { equivalents, leaveOut } from "./equivalent.ts";
import { mutantsOf } from "./mutants.ts";

const groups = Object.values(areas).flat();
const files = groups.flatMap(({ sources }) => sources);

describe("the areas", () => {
  it("name only existing files and tests, and each file once", () => {
    expect([...files, ...groups.flatMap(({ tests }) => tests)].filter((path) => !existsSync(path))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
  });
});

describe("the list of equivalent mutants", () => {
  it("has a reason for each entry and contains only mutants that exist", () => {
    const named = [...new Set(equivalents.map(({ file }) => file))];
    expect(named.filter((file) => !files.includes(file))).toEqual([]);
    expect(equivalents.filter(({ why }) => why.length < 20)).toEqual([]);
    const mutants = named.flatMap((file) => mutantsOf(file, readFileSync(file, "utf8")));
    expect(leaveOut(mutants, equivalents).stale).toEqual([]);
  }, 30_000); // it parses every mutant of every listed file

  it("excludes the mutants that it names, and reports entries that match none", () => {
    const mutants = mutantsOf("example.ts", "const f = () => a < b;");
    const named = {
      file: "example.ts",
      within: "f",
      before: "const f = () => a < b;",
      after: "const f = () => a <= b;",
      why: "",
    };
    expect(leaveOut(mutants, [named]).left.map(({ after }) => after)).toEqual(["const f = () => a >= b;"]);
    for (const wrong of [{ file: "other.ts" }, { within: "g" }, { before: "a < b;" }, { after: "a < b;" }]) {
      expect(leaveOut(mutants, [{ ...named, ...wrong }])).toEqual({ left: mutants, stale: [{ ...named, ...wrong }] });
    }
  });
});
