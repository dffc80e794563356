import { setTimeout as sleep } from "node:timers/promises";
import { afterAll } from "vitest";

/** Vitest limits how long hooks and tests may take, but not how long a file may load. */
const openWithinMs = 120_000;

interface Closable {
  close(): unknown;
}

/** Returns what all tests of a file use, and closes it after them. Call this at the top level of the file. */
export async function openForTests<T extends Closable>(opening: Promise<T>): Promise<T> {
  const opened = await Promise.race([opening, sleep(openWithinMs, null, { ref: false })]);
  if (opened === null) {
    void opening.then((late) => late.close());
    throw new Error(`Not open after ${openWithinMs} ms`);
  }
  afterAll(async () => void (await opened.close()));
  return opened;
}
