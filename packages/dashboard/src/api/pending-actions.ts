/**
 * Remembers actions whose outcome is unknown, by the path they were sent to: their idempotency key and the values of
 * the form. They stay in the tab's session storage even if the dialog is closed or the page reloaded, so that a retry
 * sends the same request and nothing runs twice. An action is stored before its first request is sent, and removed once
 * the outcome is known. After a day the service doesn't know the key anymore and would run the action again, so by then
 * it's forgotten here too. The payment shows its outcome.
 */

export interface UndecidedAction<Values> {
  key: string;
  values: Values;
}

interface StoredAction<Values> extends UndecidedAction<Values> {
  /** When the first request was sent, in milliseconds. */
  sentAt: number;
}

const nameOf = (path: string) => `oriel undecided ${path}`;
/** The service keeps responses for 24 hours. The rest is for the retry. */
const lifetimeMs = 23 * 3_600_000;

/** @returns undefined if there is none, or if session storage isn't available */
export function findUndecided<Values>(path: string): UndecidedAction<Values> | undefined {
  try {
    const text = sessionStorage.getItem(nameOf(path));
    if (text === null) return undefined;
    const { sentAt, ...action } = JSON.parse(text) as StoredAction<Values>; // in the format written below
    return Date.now() - sentAt < lifetimeMs ? action : undefined;
  } catch {
    return undefined;
  }
}

/** Call it before the first request. A retry doesn't extend the time for which the service knows the key. */
export function keepUndecided<Values>(path: string, action: UndecidedAction<Values>): void {
  try {
    const stored: StoredAction<Values> = { ...action, sentAt: Date.now() };
    sessionStorage.setItem(nameOf(path), JSON.stringify(stored));
  } catch {
    // The dialog still has the action in memory while it is open.
  }
}

export function forgetUndecided(path: string): void {
  try {
    sessionStorage.removeItem(nameOf(path));
  } catch {
    // Session storage isn't available, so there's nothing to remove.
  }
}
