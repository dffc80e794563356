/**
 * Runs `oriel monitor` against the built service. Everything matches the inventory, and a service with a different
 * build doesn't.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "@playwright/test";
import { openSession } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";

const root = join(import.meta.dirname, "../../..");

async function monitor(...args: string[]): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, [join(root, "packages/cli/src/cli.ts"), "monitor", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { code: child.exitCode, printed };
}

test("a browser receives exactly the built files, from the origin and on a session's page", async () => {
  const { embedUrl } = await openSession();
  for (const address of [addresses.checkout, embedUrl]) {
    const { code, printed } = await monitor(address);
    expect({ code, printed }).toEqual({
      code: 0,
      printed: expect.stringMatching(/^3 pages and \d+ files on .* match the build\.\n$/),
    });
  }
});

test("a different build is detected", async () => {
  const directory = mkdtempSync(join(tmpdir(), "oriel-monitor-"));
  try {
    const file = join(directory, "inventory.json");
    const inventory = readFileSync(join(root, "dist/checkout/inventory.json"), "utf8");
    // Changes one character of one hash.
    writeFileSync(
      file,
      inventory.replace(
        /("name": "pay",[^}]*?"sha256": "sha256-)(.)/,
        (_, before: string, letter: string) => before + (letter === "A" ? "B" : "A"),
      ),
    );
    const { code, printed } = await monitor(addresses.checkout, "--inventory", file);
    expect(code).toBe(1);
    expect(printed).toContain("The script pay was changed");
  } finally {
    rmSync(directory, { recursive: true });
  }
});
