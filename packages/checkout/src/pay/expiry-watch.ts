/**
 * Watches the session's expiry: warns a minute before it, and asks the service once the time is over. The service
 * decides. A payment in progress keeps a session alive and the device's clock may have changed, so this keeps asking
 * until the service says that the session is over.
 *
 * It goes by the clock: timers don't run while a laptop is closed, so the time is checked again when the page is shown.
 */
export interface ExpiryWatch {
  /** Call this with the expiry of each opened session, or with null when there is nothing left to watch. */
  follow(expiresAtMs: number | null): void;
}

export interface ExpiryWorld {
  document: Document;
  now(): number;
  expiring(secondsLeft: number): void;
  /** Called when the time is over. Should ask the service, unless something is in progress. */
  refresh(): void;
}

const warnMs = 60_000;
const refreshAgainMs = 15_000;

export function createExpiryWatch({ document, now, expiring, refresh }: ExpiryWorld): ExpiryWatch {
  let endsAt: number | null = null;
  let warnedFor: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const check = () => {
    if (endsAt !== null && endsAt <= now()) refresh();
    schedule();
  };
  const schedule = () => {
    clearTimeout(timer);
    if (endsAt === null) return;
    const leftMs = endsAt - now();
    if (leftMs > 0 && leftMs <= warnMs && warnedFor !== endsAt) {
      warnedFor = endsAt;
      expiring(Math.ceil(leftMs / 1000));
    }
    // Wait one extra second: the service's clock decides, and a request that comes too early would have to be repeated.
    // (No session lasts longer than the longest timer that browsers support.)
    timer = setTimeout(check, leftMs > warnMs ? leftMs - warnMs : leftMs > 0 ? leftMs + 1000 : refreshAgainMs);
  };
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) check();
  });
  return {
    follow(expiresAtMs) {
      endsAt = expiresAtMs;
      schedule();
    },
  };
}
