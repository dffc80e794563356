/** A clock that tests can replace, so that they can skip ten minutes. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `task` once after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

/** The system clock. Its timers don't keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or as soon as `signal` aborts. */
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
