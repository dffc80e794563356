/**
 * The half second on which the host page learns what the form looks like by now, whichever way it asks: told as often as somebody asks, the answers
 * would tell when each single key was pressed. So the form must be looked at then, and not before.
 */

const everyMs = 500;

/** Calls `look` on the next one. */
export function atHalfSecond(now: () => number, look: () => void): void {
  setTimeout(look, everyMs - (now() % everyMs));
}

export function onTheHalfSecond(now: () => number): Promise<void> {
  return new Promise((resolve) => atHalfSecond(now, resolve));
}
