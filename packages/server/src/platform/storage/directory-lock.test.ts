import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../../../scripts/test/temporary-directory.ts";
import { lockDirectory } from "./directory-lock.ts";

let base: string;
let directory: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  base = temporaryDirectory(onTestFinished);
  directory = join(base, "pglite");
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

const refused = `The data directory`;

/** Starts another process that only opens the directory. */
async function openElsewhere(path: string): Promise<ChildProcess> {
  const script = `
    import { lockDirectory } from ${JSON.stringify(new URL("./directory-lock.ts", import.meta.url).href)};
    await lockDirectory(process.argv[1]);
    console.log("open");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout, "data");
  return child;
}

/** Tries to open the directory, then closes it. */
async function isFree(path: string): Promise<boolean> {
  const lock = await lockDirectory(path).catch(() => null);
  await lock?.release();
  return lock !== null;
}

describe("lockDirectory", () => {
  it("rejects a directory that another process has open, names both, and says what to do", async () => {
    const { pid } = await openElsewhere(directory);
    await expect(lockDirectory(directory)).rejects.toThrow(
      `${refused} ${directory} is open in another process (process ID ${pid}). Stop that process, choose another ORIEL_DATA_DIR, or set DATABASE_URL`,
    );
  });

  it("recognizes the directory by other paths", async () => {
    await openElsewhere(directory);
    symlinkSync(directory, join(base, "link"));
    for (const path of [join(base, "link"), `${directory}/`, join(directory, "..", "pglite")]) {
      await expect(lockDirectory(path)).rejects.toThrow(refused);
    }
  });

  it("doesn't affect other directories", async () => {
    await openElsewhere(directory);
    mkdirSync(join(base, "other"));
    expect(await isFree(join(base, "other"))).toBe(true);
  });

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "allows opening the directory after the process that held it ends with %s",
    async (signal) => {
      const child = await openElsewhere(directory);
      child.kill(signal);
      await once(child, "exit");
      expect(await isFree(directory)).toBe(true);
    },
  );

  it("also applies within one process, until the lock is released", async () => {
    const lock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toThrow(refused);
    await lock.release();
    expect(await isFree(directory)).toBe(true);
  });

  it("lets only one of several simultaneous callers open the directory", async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)));
    const won = results.filter((result) => result.status === "fulfilled");
    expect(won).toHaveLength(1);
    await won[0]?.value.release();
  });
});
