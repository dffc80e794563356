import { setTimeout as sleep } from "node:timers/promises";
import { afterAll } from "vitest";

/** As long as hooks may take (`databaseTimeoutMs` in `vite.config.ts`), because loading a file has no limit. */
const openWithinMs = 90_000;

interface Closable {
  close(): unknown;
}

/** Returns what all tests of a file use, and closes it after them. Call this at the top level of the file. */
export async function openForTests<T extends Closable>(opening: Promise<T>): Promise<T> {
  const opened = await Promise.race([opening, sleep(openWithinMs, null, { ref: false })]);
  if (opened === null) throw new Error(`Not open after ${openWithinMs} ms`);
  afterAll(async () => void (await opened.close()));
  return opened;
}
