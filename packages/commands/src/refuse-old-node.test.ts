import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { faultOfNode, refuseOldNode } from "./refuse-old-node.ts";

it.each(["18.20.8", "20.19.2", "22.11.0"])("refuses Node %s and says which file it is", (version) => {
  expect(faultOfNode("oriel", version, "/usr/bin/node")).toBe(
    `oriel needs Node 22.12 or later, but /usr/bin/node is Node ${version}. Install a newer version from https://nodejs.org, or run oriel with a newer one that you have.`,
  );
});

it("exits with 2, because 1 is a finding of `oriel monitor`", () => {
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never); // so that the test continues
  const print = vi.spyOn(console, "error").mockReturnValue();
  refuseOldNode("oriel", "18.20.8");
  expect([exit.mock.calls, print.mock.calls.length]).toEqual([[[2]], 1]);
  vi.restoreAllMocks();
});

it.each(["22.12.0", "24.0.0", "26.1.0"])("accepts Node %s", (version) => {
  expect(faultOfNode("oriel", version, "/usr/bin/node")).toBeNull();
});

it.each(["cli", "server"])("is the only static import of the main module in packages/%s", (folder) => {
  const main = readFileSync(new URL(`../../${folder}/src/cli.ts`, import.meta.url), "utf8");
  expect(main.match(/^(import|export) .*/gm)).toEqual([
    'import { refuseOldNode } from "@oriel/commands/refuse-old-node";',
  ]);
});

it("requires the version that the npm packages declare", () => {
  const declared = readFileSync(new URL("../../../scripts/pack/npm-package.ts", import.meta.url), "utf8");
  expect(declared).toContain('oldestNode = ">=22.12"');
});
