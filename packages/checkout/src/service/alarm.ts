/**
 * Waiting that can be cut short. Timers sleep with a hidden tab or a closed laptop; what wakes the customer's device (the tab shown again,
 * the network back, a knock from the bank's page) rings, and whoever waits looks at once.
 */
export interface Alarm {
  /** Resolves after `ms`, or at the next ring. */
  wait(ms: number): Promise<void>;
  ring(): void;
}

export function createAlarm(): Alarm {
  let sleepers: (() => void)[] = [];
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          sleepers = sleepers.filter((sleeper) => sleeper !== wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        sleepers.push(wake);
      }),
    ring() {
      for (const wake of sleepers) wake();
    },
  };
}

/** Rings when the page is shown again, comes out of the browser's memory, or is back on the network. */
export function ringOnReturn(alarm: Alarm, window: Window): void {
  window.document.addEventListener("visibilitychange", () => {
    if (!window.document.hidden) alarm.ring();
  });
  window.addEventListener("pageshow", () => alarm.ring());
  window.addEventListener("online", () => alarm.ring());
}
