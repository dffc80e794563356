/** Checks that the npm package `@oriel/cli` runs without this repository: the tarball, unpacked. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publintProblems, unpack } from "./check-tarball.ts";
import { packCli } from "./cli.ts";
import { root } from "./npm-package.ts";

let home: string;
let installed: string;
let tarball: Buffer;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "oriel-developer-"));
  tarball = readFileSync(await packCli(join(home, "packed/cli")));
  installed = join(home, "node_modules/@oriel/cli");
  unpack(tarball, installed);
  symlinkSync(join(root, "node_modules/typebox"), join(home, "node_modules/typebox"));
}, 120_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

const read = (name: string) => readFileSync(join(installed, name), "utf8");

function oriel(...args: string[]) {
  const program = join(installed, "packages/cli/src/cli.js");
  const env = { PATH: process.env["PATH"], HOME: home, ORIEL_SECRET_KEY: `oriel_sk_test_${"a".repeat(36)}` };
  return spawnSync(process.execPath, [program, ...args], { cwd: home, encoding: "utf8", timeout: 30_000, env });
}

describe("the tarball of the CLI", () => {
  it("passes publint", async () => {
    expect(await publintProblems(tarball)).toEqual([]);
  });

  it("contains nothing of the server or the vault, and depends on TypeBox only", () => {
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
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
