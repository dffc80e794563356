/**
 * Limits when the host page learns the form's state: only at each half second of the clock, whichever verb or event
 * reveals it. Otherwise the host page could tell when each key was pressed. For the same reason, the form's state must
 * be read at that moment and not before.
 */

const everyMs = 500;

/** Calls `report` when the next report is due. */
export function atNextReport(now: () => number, report: () => void): void {
  setTimeout(report, everyMs - (now() % everyMs));
}

export function nextReport(now: () => number): Promise<void> {
  return new Promise((resolve) => atNextReport(now, resolve));
}
