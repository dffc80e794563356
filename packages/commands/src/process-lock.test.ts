/** Socket files, as on macOS. `listener-lock.test.ts` in `packages/cli` tests the sockets of this system. */
import { linkSync, readdirSync, renameSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { lockPath } from "./process-lock.ts";

const { platform } = process;
let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory(onTestFinished);
  path = join(directory, "state.json");
  vi.stubEnv("TMPDIR", directory);
  Object.defineProperty(process, "platform", { value: "darwin" });
});
afterEach(() => {
  Object.defineProperty(process, "platform", { value: platform });
  vi.unstubAllEnvs();
});

/** Leaves a socket file without a process, as `kill -9` does. */
async function leaveStaleSocket(): Promise<void> {
  const lock = await lockPath("test", path);
  if (!("release" in lock)) throw new Error("Bug: the test's own lock");
  const [name = ""] = readdirSync(directory);
  linkSync(join(directory, name), join(directory, "copy"));
  await lock.release();
  renameSync(join(directory, "copy"), join(directory, name));
}

async function winnersOf(callers: number): Promise<number> {
  const locks = await Promise.all(Array.from({ length: callers }, () => lockPath("test", path)));
  const won = locks.filter((lock) => "release" in lock);
  for (const lock of won) await lock.release();
  return won.length;
}

it("is a socket file that names its holder and is removed on release", async () => {
  const lock = await lockPath("test", path);
  expect(readdirSync(directory)).toEqual([expect.stringMatching(/^test-[0-9a-f]{32}\.sock$/)]);
  expect(await lockPath("test", path)).toEqual({ pid: String(process.pid) });
  if ("release" in lock) await lock.release();
  expect(readdirSync(directory)).toEqual([]);
});

it("lets only one of two processes take over a stale socket file", async () => {
  await leaveStaleSocket();
  expect(await winnersOf(2)).toBe(1);
  expect(readdirSync(directory)).toEqual([]);
});

it("puts back the socket file of a process that took over in the meantime", async () => {
  await leaveStaleSocket();
  const [name = ""] = readdirSync(directory);
  const other = createServer((socket) => socket.end("12"));
  await new Promise<void>((resolve) => other.listen(join(directory, "other"), resolve));
  const rename = (from: string, to: string) => {
    renameSync(join(directory, "other"), join(directory, name));
    renameSync(from, to);
  };
  expect(await lockPath("test", path, rename)).toEqual({ pid: "12" });
  expect(readdirSync(directory)).toEqual([name]);
  await new Promise((resolve) => other.close(resolve));
});
