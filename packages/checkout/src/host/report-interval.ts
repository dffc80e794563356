/**
 * When the host page may learn what the form looks like: at every half second of the clock, whichever way it asks. If
 * it could learn that at any time, it could tell when each single key was pressed. So the form must be looked at then,
 * and not before.
 */

const everyMs = 500;

/** Calls `look` at the next report. */
export function atNextReport(now: () => number, look: () => void): void {
  setTimeout(look, everyMs - (now() % everyMs));
}

export function nextReport(now: () => number): Promise<void> {
  return new Promise((resolve) => atNextReport(now, resolve));
}
