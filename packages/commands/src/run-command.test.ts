import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Command } from "./command.ts";
import { runCommandLine } from "./run-command.ts";

const monitor: Command = {
  name: "monitor",
  takes: ["URL"],
  options: {},
  summary: "Compare",
  run: async ({ args: [address] }) => {
    if (address === "bug") throw new TypeError("Bug: a test");
    return 1;
  },
};
const printed: unknown[] = [];
beforeEach(() => {
  printed.length = 0;
  vi.spyOn(console, "error").mockImplementation((text) => printed.push(text));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = 0;
});

async function exitCodeOf(...argv: string[]) {
  await runCommandLine(
    { program: "oriel", version: "1", commands: { monitor: async () => [monitor] }, note: "" },
    argv,
  );
  return process.exitCode;
}

it("exits with the command's own code, and with 2 for a bug in it", async () => {
  expect(await exitCodeOf("monitor", "differs")).toBe(1);
  expect(await exitCodeOf("monitor", "bug")).toBe(2);
});

it.each([
  [["moniter", "https://pay.example/c/cs_1#cs_secret_x"], 'Unknown command "moniter". Run'],
  [["https://pay.example/c/cs_1#cs_secret_x"], "Unknown command. Run"],
  [["key", "sing", "loud"], 'Unknown command "key sing". Run'],
  [["--inventory=cs_secret_x"], "Unknown command. Run"],
])("doesn't repeat the arguments of an unknown command: %j", async (argv, says) => {
  expect(await exitCodeOf(...argv)).toBe(2);
  expect(printed).toEqual([expect.stringContaining(says)]);
  expect(String(printed)).not.toContain("secret");
});
