import { describe, expect, it } from "vitest";
import configuration from "../../vite.config.ts";
import { full, quick, type Plan } from "./steps.ts";

const commandsOf = (plan: Plan) => plan.flat(2).map(({ command }) => command.join(" "));
const argumentsOf = (flag: string) =>
  [...commandsOf(quick), ...commandsOf(full)].flatMap((command) =>
    [...command.matchAll(new RegExp(`${flag} (\\S+)`, "g"))].map(([, value]) => value),
  );

describe("npm test and npm run test:full", () => {
  it("together run every Vitest project once", () => {
    const projects = configuration.test?.projects?.map((project) =>
      typeof project === "object" && "test" in project ? project.test?.name : project,
    );
    const run = argumentsOf("--project").filter((project) => project !== "chromium" && project !== "firefox");
    expect(projects).toHaveLength(8);
    expect(run.sort()).toEqual(projects?.sort());
  });

  it("together run every browser test once in Chromium and once in Firefox", () => {
    const runs = [...commandsOf(quick), ...commandsOf(full)].filter((command) => command.startsWith("playwright "));
    expect(runs).toEqual([
      "playwright test --project chromium --grep @quick",
      "playwright test --project chromium --grep-invert @quick",
      "playwright test --project firefox",
    ]);
  });

  it("fetch the vendors' documents before the tests that need them", () => {
    const lanes = full.flat().map((lane) => lane.map(({ name }) => name).slice(0, 2));
    expect(lanes).toContainEqual(["vendor-documents", "connectors"]);
  });

  it("give every step a unique name that is a valid file name", () => {
    for (const plan of [quick, full]) {
      const names = plan.flat(2).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !/^[a-z0-9-]+$/.test(name))).toEqual([]);
    }
  });
});
