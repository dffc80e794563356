/**
 * Work that is done now and again after each pause, in the background. A round that takes longer than the pause is not
 * overtaken by the next one.
 */
import type { PlatformContext } from "../context.ts";

/** @returns a function that begins no further round; the one under way is waited for when the service closes */
export function repeat(
  { inBackground }: Pick<PlatformContext, "inBackground">,
  what: string,
  everyMs: number,
  work: () => Promise<unknown>,
): () => void {
  let isRunning = false;
  const run = () => {
    if (isRunning) return;
    isRunning = true;
    inBackground(
      what,
      work().finally(() => (isRunning = false)),
    );
  };
  run();
  const timer = setInterval(run, everyMs);
  return () => clearInterval(timer);
}
