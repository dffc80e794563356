/**
 * Remembers actions whose outcome is unknown, by the user who sent them and the path they were sent to: their
 * idempotency key and the values of the form. They stay in the tab's session storage even if the dialog is closed, the
 * page reloaded or the session ended, so that a retry sends the same request and nothing runs twice. Another user who
 * signs in in the same tab doesn't find them. An action is stored before its first request is sent, and removed once
 * the outcome is known. After a day the service doesn't know the key anymore and would run the action again, so by then
 * it's forgotten here too. The payment shows its outcome.
 */

/** Who sends an action, and where to. */
export interface ActionPlace {
  loginId: string;
  path: string;
}

export interface UndecidedAction<Values> {
  key: string;
  values: Values;
}

interface StoredAction<Values> extends UndecidedAction<Values> {
  /** When the first request was sent, in milliseconds. */
  sentAt: number;
}

const nameOf = ({ loginId, path }: ActionPlace) => `oriel undecided ${loginId} ${path}`;
/** The service keeps responses for 24 hours. The rest is for the retry. */
const lifetimeMs = 23 * 3_600_000;

/** @returns undefined if there is none, or if session storage isn't available */
export function findUndecided<Values>(place: ActionPlace): UndecidedAction<Values> | undefined {
  try {
    const text = sessionStorage.getItem(nameOf(place));
    if (text === null) return undefined;
    const { sentAt, ...action } = JSON.parse(text) as StoredAction<Values>; // in the format written below
    return Date.now() - sentAt < lifetimeMs ? action : undefined;
  } catch {
    return undefined;
  }
}

/** Call it before the first request. A retry doesn't extend the time for which the service knows the key. */
export function saveUndecided<Values>(place: ActionPlace, action: UndecidedAction<Values>): void {
  try {
    const stored: StoredAction<Values> = { ...action, sentAt: Date.now() };
    sessionStorage.setItem(nameOf(place), JSON.stringify(stored));
  } catch {
    // The dialog still has the action in memory while it is open.
  }
}

export function forgetUndecided(place: ActionPlace): void {
  try {
    sessionStorage.removeItem(nameOf(place));
  } catch {
    // Session storage isn't available, so there's nothing to remove.
  }
}
