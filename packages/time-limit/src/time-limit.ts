/**
 * A signal that aborts after a time, or when another signal does. `AbortSignal.any` would stay attached to a long-lived
 * signal for as long as that lives, so this one can be released.
 */
export interface TimeLimit {
  signal: AbortSignal;
  /** Whether the signal aborted because the time passed. */
  hasPassed(): boolean;
  /** Call this when the work has ended, however it ended. */
  release(): void;
}

export function startTimeLimit(ms: number, giveUp: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  let hasPassed = false;
  const timer = setTimeout(() => {
    hasPassed = true;
    controller.abort();
  }, ms);
  const end = () => controller.abort();
  giveUp?.addEventListener("abort", end);
  if (giveUp?.aborted === true) end();
  return {
    signal: controller.signal,
    hasPassed: () => hasPassed,
    release() {
      clearTimeout(timer);
      giveUp?.removeEventListener("abort", end);
    },
  };
}
