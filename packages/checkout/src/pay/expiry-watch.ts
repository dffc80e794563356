/**
 * Watches the session's time: says so a minute before it ends, and has the service asked once it is over. The service
 * decides; a payment in flight keeps a session alive, and the clock may have been set meanwhile, so it is asked again
 * until it says that the session is over.
 *
 * By the wall clock: a timer sleeps with a closed laptop, so the time is looked at again when the page is shown.
 */
export interface ExpiryWatch {
  /** With each session that was opened. Null: nothing is left to watch. */
  follow(expiresAtMs: number | null): void;
}

export interface ExpiryWorld {
  document: Document;
  now(): number;
  expiring(secondsLeft: number): void;
  /** Time is over: ask the service, unless something is going on. */
  ask(): void;
}

const warnMs = 60_000;
const askAgainMs = 15_000;

export function createExpiryWatch({ document, now, expiring, ask }: ExpiryWorld): ExpiryWatch {
  let endsAt: number | null = null;
  let warnedOf: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const look = () => {
    if (endsAt !== null && endsAt <= now()) ask();
    plan();
  };
  const plan = () => {
    clearTimeout(timer);
    if (endsAt === null) return;
    const leftMs = endsAt - now();
    if (leftMs > 0 && leftMs <= warnMs && warnedOf !== endsAt) {
      warnedOf = endsAt;
      expiring(Math.ceil(leftMs / 1000));
    }
    // One second more: the service's clock decides, and asking too early asks twice. (No session is longer than a
    // browser's timer can wait.)
    timer = setTimeout(look, leftMs > warnMs ? leftMs - warnMs : leftMs > 0 ? leftMs + 1000 : askAgainMs);
  };
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) look();
  });
  return {
    follow(expiresAtMs) {
      endsAt = expiresAtMs;
      plan();
    },
  };
}
