/**
 * Remembers actions whose outcome is unknown, by the path they were sent to: their idempotency key and the values of
 * the form. They stay in the tab's session storage even if the dialog is closed or the page reloaded, so that a retry
 * sends the same request and nothing runs twice. An action is stored before its request is sent, and removed once the
 * outcome is known.
 */

export interface UndecidedAction<Values> {
  key: string;
  values: Values;
}

const nameOf = (path: string) => `oriel undecided ${path}`;

/** @returns undefined if there is none, or if session storage isn't available */
export function findUndecided<Values>(path: string): UndecidedAction<Values> | undefined {
  try {
    const text = sessionStorage.getItem(nameOf(path));
    return text === null ? undefined : (JSON.parse(text) as UndecidedAction<Values>); // in the format written below
  } catch {
    return undefined;
  }
}

export function keepUndecided<Values>(path: string, action: UndecidedAction<Values>): void {
  try {
    sessionStorage.setItem(nameOf(path), JSON.stringify(action));
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
