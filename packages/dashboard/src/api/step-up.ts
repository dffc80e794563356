/** Asks users to confirm their identity. All requests that wait for it share one dialog. */

export interface StepUp {
  /** @returns whether the user confirmed with password and code, or with a passkey */
  request(): Promise<boolean>;
  settle(hasStepped: boolean): void;
  isOpen(): boolean;
  subscribe(listener: () => void): () => void;
}

export function createStepUp(): StepUp {
  let waiting: ((hasStepped: boolean) => void)[] = [];
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return {
    request: () =>
      new Promise((resolve) => {
        waiting = [...waiting, resolve];
        notify();
      }),
    settle(hasStepped) {
      const all = waiting;
      waiting = [];
      for (const resolve of all) resolve(hasStepped);
      notify();
    },
    isOpen: () => waiting.length > 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const stepUp = createStepUp();
