/**
 * A signal that aborts after a given time, or when another signal does. Unlike `AbortSignal.any`, it can be detached,
 * so it can be freed before the other signal is. The service has its own copy, because neither package may import the
 * other.
 */
export interface TimeLimit {
  signal: AbortSignal;
  /** Whether the time ran out. */
  isOver(): boolean;
  /** Detaches from the other signal. Call it when the work is done. */
  letGo(): void;
}

export function startTimeLimit(ms: number, other: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, ms);
  const end = () => controller.abort();
  other?.addEventListener("abort", end);
  if (other?.aborted === true) end();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    letGo() {
      clearTimeout(timer);
      other?.removeEventListener("abort", end);
    },
  };
}
