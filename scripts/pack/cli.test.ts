/** Checks that the npm package `@oriel/cli` runs without this repository: the tarball, unpacked. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { install, type Installed, publintProblems } from "./check-tarball.ts";
import { packCli } from "./command.ts";

let installed: Installed;

beforeAll(async () => {
  installed = await install("cli", packCli, ["typebox"]);
}, 120_000);
afterAll(() => installed.remove());

function oriel(...args: string[]) {
  const program = join(installed.folder, "packages/cli/src/cli.js");
  const env = {
    PATH: process.env["PATH"],
    HOME: installed.project,
    ORIEL_SECRET_KEY: `oriel_sk_test_${"a".repeat(36)}`,
  };
  return spawnSync(process.execPath, [program, ...args], {
    cwd: installed.project,
    encoding: "utf8",
    timeout: 30_000,
    env,
  });
}

describe("the tarball of the CLI", () => {
  it("passes publint", async () => {
    expect(await publintProblems(installed.tarball)).toEqual([]);
  });

  it("contains nothing of the server or the vault, and depends on TypeBox only", () => {
    const { files, read } = installed;
    expect(files).toContain("dist/checkout/inventory.json");
    expect(files.filter((name) => /^packages\/(server|vault)|\.ts$/.test(name))).toEqual([]);
    expect(Object.keys((JSON.parse(read("package.json")) as { dependencies: object }).dependencies)).toEqual([
      "typebox",
    ]);
  });
});

describe("the installed oriel", () => {
  it("lists its commands", () => {
    expect(oriel("--help").stdout).toMatch(/^ {2}listen .*\n {2}trigger .*\n {2}monitor /m);
  });

  it("reports in one line that the API isn't running", () => {
    const { status, stderr } = oriel("trigger", "payment.succeeded", "--api-url", "http://127.0.0.1:9");
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^oriel: The API at http:\/\/127\.0\.0\.1:9 isn't responding .*\n$/),
    ]);
  });

  it("monitors with the inventory that comes with it", () => {
    const { status, stderr } = oriel("monitor", "http://127.0.0.1:9");
    expect([status, stderr]).toEqual([2, expect.not.stringContaining("inventory")]);
  });
});
