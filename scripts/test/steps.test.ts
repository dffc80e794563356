import { describe, expect, it } from "vitest";
import playwrightConfiguration from "../../playwright.config.ts";
import configuration from "../../vite.config.ts";
import { full, quick } from "./steps.ts";

const steps = [...quick, ...full].flat(2);
const projectsOf = (runner: string) =>
  steps
    .filter(({ command }) => command[0] === runner)
    .flatMap(({ command }) => command.filter((_, at) => command[at - 1] === "--project"));

describe("npm test and npm run test:full", () => {
  it("together run every Vitest project once, except that on Citus", () => {
    const projects = configuration.test?.projects?.map((project) =>
      typeof project === "object" && "test" in project ? project.test?.name : project,
    );
    expect(projects).toHaveLength(12);
    const ofEverybody = projects?.filter((name) => !String(name).startsWith("citus")); // the others need no cluster
    expect(projectsOf("vitest").sort()).toEqual(ofEverybody?.sort());
  });

  it("together run every browser test once in Chromium, and once in Firefox if that can differ", () => {
    const projects = playwrightConfiguration.projects?.map(({ name }) => name);
    expect(projects).toEqual(["chromium-quick", "chromium-rest", "firefox"]);
    expect(projectsOf("playwright")).toEqual(projects);
    const [quickly, rest] = playwrightConfiguration.projects ?? [];
    expect(quickly?.grep).toEqual(rest?.grepInvert);
  });

  it("fetch the vendors' documents before the tests that need them", () => {
    const lane = full.flat().find((each) => each.some(({ name }) => name === "connectors")) ?? [];
    const names = lane.map(({ name }) => name);
    expect(names.indexOf("vendor-documents")).toBe(names.indexOf("connectors") - 1);
  });

  it("give every step a unique name that is a valid file name", () => {
    for (const plan of [quick, full]) {
      const names = plan.flat(2).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !/^[a-z0-9-]+$/.test(name))).toEqual([]);
    }
  });
});
