/**
 * Waits that can be cut short. Timers stop in a hidden tab or on a sleeping laptop, so anything that brings the
 * customer back (the tab is shown, the network is back, a message from the bank's page) ends every wait, and the
 * service is polled at once.
 */
export interface WakeableWait {
  /** Resolves after `ms`, or at the next `wake`. */
  for(ms: number): Promise<void>;
  wake(): void;
}

export function createWakeableWait(): WakeableWait {
  let sleepers: (() => void)[] = [];
  return {
    for: (ms) =>
      new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          sleepers = sleepers.filter((sleeper) => sleeper !== wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        sleepers.push(wake);
      }),
    wake() {
      for (const wake of sleepers) wake();
    },
  };
}

/** Wakes when the page is shown again, restored from the back/forward cache, or back online. */
export function wakeOnReturn(wait: WakeableWait, window: Window): void {
  window.document.addEventListener("visibilitychange", () => {
    if (!window.document.hidden) wait.wake();
  });
  window.addEventListener("pageshow", () => wait.wake());
  window.addEventListener("online", () => wait.wake());
}
