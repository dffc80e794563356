/**
 * Runs work in the background, immediately and then at an interval. Skips a run if the previous one is still in
 * progress.
 */
import type { PlatformContext } from "../context.ts";

/** @returns a function that stops further runs. A run in progress is awaited when the service closes. */
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
