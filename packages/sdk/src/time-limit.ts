/**
 * A signal that ends with a time, or with another signal. `AbortSignal.any` would do, but what it makes stays with a
 * signal that lives long for as long as that lives; this one is let go of. (The service has one of its own: neither may
 * know the other.)
 */
export interface TimeLimit {
  signal: AbortSignal;
  /** Whether it was the time that ended it. */
  isOver(): boolean;
  /** To be called when the work is done, whatever came of it. */
  letGo(): void;
}

export function startTimeLimit(ms: number, giveUp: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, ms);
  const end = () => controller.abort();
  giveUp?.addEventListener("abort", end);
  if (giveUp?.aborted === true) end();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    letGo() {
      clearTimeout(timer);
      giveUp?.removeEventListener("abort", end);
    },
  };
}
