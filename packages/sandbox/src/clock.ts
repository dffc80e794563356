/** Time as an argument, so that a test can let ten minutes pass. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `task` once, `delayMs` from now. The function that comes back takes it off again. */
  after(delayMs: number, task: () => void): () => void;
}

/** The machine's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves `delayMs` from now, or when `signal` says that nobody should wait any longer. */
export function wait(delayMs: number, { clock, signal }: { clock: Clock; signal: AbortSignal }): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      stop();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const stop = clock.after(delayMs, finish);
    signal.addEventListener("abort", finish);
  });
}
