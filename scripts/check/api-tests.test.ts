import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { apiTests, apiTestsFor, folderOf } from "./api-tests.ts";

const tests = "packages/server/test";
const testFiles = readdirSync(tests)
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `${tests}/${name}`);
const starts = Object.values(apiTests).flat();

describe("the map from folders to API tests", () => {
  it("includes every folder of the service", () => {
    const main = foldersIn("packages/server/src").filter((folder) => !folder.endsWith("/commands"));
    const folders = [...main, ...main.flatMap(foldersIn), "packages/server/src/commands"];
    expect(folders.length).toBeGreaterThan(30);
    expect(folders.filter((folder) => !(folder in apiTests))).toEqual([]);
  });

  it("contains no deleted folder", () => {
    expect(Object.keys(apiTests).filter((folder) => readdirSync(folder).length === 0)).toEqual([]);
  });

  it("contains no deleted test", () => {
    expect(starts.filter((start) => !testFiles.some((file) => file.startsWith(`${tests}/${start}`)))).toEqual([]);
  });

  it("covers every API test", () => {
    const lost = testFiles.filter((file) => !starts.some((start) => file.startsWith(`${tests}/${start}`)));
    expect(lost).toEqual([]);
  });
});

describe("apiTestsFor", () => {
  it("finds a folder's tests and changed tests", () => {
    const found = apiTestsFor(["packages/server/src/payments/risk/rules.ts", `${tests}/embed.test.ts`], testFiles);
    expect(found.map((file) => file.slice(tests.length + 1))).toEqual([
      "card-testing-attacks.postgres.test.ts",
      "card-testing-report.test.ts",
      "dashboard-new-customers.test.ts",
      "decline-uniformity.test.ts",
      "embed.test.ts",
      "new-customers.test.ts",
      "risk-payments.test.ts",
      "risk.test.ts",
    ]);
  });

  it("finds no tests for an unrelated change", () => {
    expect(apiTestsFor(["README.md", "packages/dashboard/src/main.tsx"], testFiles)).toEqual([]);
  });

  it("uses the innermost folder in the map", () => {
    expect(folderOf("packages/server/src/http/routes/api/charges.ts")).toBe("packages/server/src/http/routes");
    expect(folderOf("packages/server/src/app.ts")).toBe("packages/server/src");
  });
});

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`);
}
