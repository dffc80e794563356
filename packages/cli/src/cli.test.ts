/** Runs `oriel` as a developer does: each command is a separate process. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

function oriel(...args: string[]): Promise<Result> {
  return new Promise((resolve) => {
    const program = join(import.meta.dirname, "cli.ts");
    const child = execFile(process.execPath, [program, ...args], { timeout: 30_000 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe("oriel", () => {
  it("lists its commands and says which program runs the service", async () => {
    const { code, stdout } = await oriel("--help");
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name)).toEqual(["listen", "trigger", "monitor"]);
    expect(stdout).toContain("To run the service itself, use oriel-server.");
  });

  it("refuses an unknown command in one line, with exit code 2", async () => {
    expect(await oriel("lissen")).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'oriel: Unknown command "lissen". Run `oriel --help` for a list. The commands for the service itself are in oriel-server.\n',
    });
  });
});

describe("oriel monitor", () => {
  it("refuses an unsuitable URL without repeating the secret in it", async () => {
    const { code, stderr } = await oriel("monitor", "https://pay.example.com/nowhere#cs_secret_1");
    expect(code).toBe(2);
    expect(stderr).toContain("URL must be an embed_url");
    expect(stderr).not.toContain("cs_secret_1");
  });

  it("explains its options and exit codes", async () => {
    expect((await oriel("monitor")).stderr).toContain("oriel monitor URL [--inventory FILE] [--json]");
    expect((await oriel("monitor", "--help")).stdout).toMatch(
      /0 if everything matches, 1 if anything differs, 2 if the check failed/,
    );
  });
});
