/** Tests within one process. Other processes are tested in listen.postgres.test.ts. */
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { lockListener } from "./listener-lock.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory(onTestFinished);
  path = join(directory, "oriel", "state.json");
});

const refusal = `Another listener (process ${process.pid}) is using `;

describe("lockListener", () => {
  it("refuses other callers until the lock is released, naming the holder's process, and writes no files", async () => {
    const lock = await lockListener(path);
    const sentence = `${refusal}${path}. Stop it first, or choose another file with --state.`;
    await expect(lockListener(path)).rejects.toThrow(sentence);
    await expect(lockListener(path)).rejects.toThrow(refusal);
    const otherLock = await lockListener(join(directory, "oriel", "other.json"));
    await lock.release();
    await (await lockListener(path)).release();
    await otherLock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("treats different paths to the same file as one, even after its directory is created", async () => {
    const lock = await lockListener(path);
    mkdirSync(join(directory, "oriel"));
    symlinkSync(join(directory, "oriel"), join(directory, "link"));
    for (const name of [path, join(directory, "link", "state.json"), `${directory}/oriel/../oriel/state.json`])
      await expect(lockListener(name)).rejects.toThrow(refusal);
    await lock.release();
  });

  it("grants the lock to only one of 20 concurrent callers", async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockListener(path)));
    const won = results.filter((result) => result.status === "fulfilled");
    expect(won).toHaveLength(1);
    await won[0]?.value.release();
  });
});
