/** The one open question "is it really you?": whoever asks waits, and the dialog answers all who wait at once. */

export interface StepUp {
  /** @returns whether the reader gave password and code, or a passkey */
  request(): Promise<boolean>;
  settle(hasStepped: boolean): void;
  isOpen(): boolean;
  subscribe(listener: () => void): () => void;
}

export function createStepUp(): StepUp {
  let waiting: ((hasStepped: boolean) => void)[] = [];
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    request: () =>
      new Promise((resolve) => {
        waiting = [...waiting, resolve];
        tell();
      }),
    settle(hasStepped) {
      const all = waiting;
      waiting = [];
      for (const resolve of all) resolve(hasStepped);
      tell();
    },
    isOpen: () => waiting.length > 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const stepUp = createStepUp();
