/** Compares the numbers in the documents with what the test commands run. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  onPostgres15,
  quickOnPglite,
  restOnPglite,
  slowOnPostgres,
} from "../../packages/server/test/setup/quick-files.ts";
import { minutes } from "./steps.ts";

interface Suite {
  specs: { tests: { projectName: string }[] }[];
  suites?: Suite[];
}

const read = (path: string) => readFileSync(path, "utf8").replaceAll(/\s+/g, " ");
const contributing = read("CONTRIBUTING.md");

/** How many tests each Playwright project has. */
function browserTests(): Record<string, number> {
  const listed = execFileSync("node_modules/.bin/playwright", ["test", "--list", "--reporter=json"], {
    encoding: "utf8",
    maxBuffer: 50_000_000,
  });
  const testsIn = ({ specs, suites = [] }: Suite): string[] => [
    ...specs.flatMap(({ tests }) => tests.map(({ projectName }) => projectName)),
    ...suites.flatMap(testsIn),
  ];
  const counts: Record<string, number> = {};
  const { suites } = JSON.parse(listed) as { suites: Suite[] }; // Playwright wrote it
  for (const project of suites.flatMap(testsIn)) counts[project] = (counts[project] ?? 0) + 1;
  return counts;
}

describe("CONTRIBUTING states", () => {
  it.each([
    [quickOnPglite.length, /(\d+) of their files on PGlite/],
    [slowOnPostgres.length, /(\d+) slow files of API tests on PostgreSQL/],
    [restOnPglite.length, /(\d+) more files on PGlite/],
    [onPostgres15.length, /(\d+) files on PostgreSQL 15/],
  ])("that there are %i files: %s", (count, sentence) => {
    expect(sentence.exec(contributing)?.[1]).toBe(String(count));
  });

  it("how many browser tests there are", () => {
    const counts = browserTests();
    expect(Object.keys(counts)).toHaveLength(3);
    expect({
      "chromium-quick": Number(/(\d+) browser tests tagged `@quick`/.exec(contributing)?.[1]),
      "chromium-rest": Number(/(\d+) other browser tests in Chromium/.exec(contributing)?.[1]),
      firefox: Number(/(\d+) in Firefox/.exec(contributing)?.[1]),
    }).toEqual(counts);
  });
});

it("the documents say how long the tests take", () => {
  expect(contributing).toContain(`| \`npm test\` | at most ${minutes.quick} min |`);
  expect(contributing).toContain(`| \`npm test && npm run test:full\` | at most ${minutes.all} min |`);
  expect(read("README.md")).toContain(`The tests take at most ${minutes.quick} minutes on two idle cores.`);
  expect(read("docs/releasing.md")).toContain(`# at most ${minutes.all} minutes on two idle cores`);
});
