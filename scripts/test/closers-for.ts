import type { afterAll, afterEach } from "vitest";

export type Closers = (() => Promise<unknown>)[];

/** Add to this list what must be closed after each test or after all tests. The latest is closed first. */
export function closersFor(hook: typeof afterAll | typeof afterEach): Closers {
  const closers: Closers = [];
  hook(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return closers;
}
