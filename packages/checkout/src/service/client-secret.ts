/**
 * Moves the session's client secret from the URL to the history entry, where it survives a reload and Back. Keeps other
 * things that must survive a reload there too.
 *
 * The secret arrives in the fragment, which never appears in logs or the Referer header. In `history.state`, it doesn't
 * show in the address bar or in screenshots sent to the merchant's support either. Cookies and storage aren't available
 * in a third-party iframe. No card data is ever stored here.
 */

/** What this page stores in its history entry. */
interface EntryState {
  secret: string;
  /** How often the bank's challenge form was posted from this entry, by its `creq`, for the latest challenge only. */
  posted?: Record<string, number>;
  /** The ID of a payment request that was sent and whose outcome is unknown. */
  lost?: string | undefined;
}

/** Returns the secret, or null if the page was opened without it. */
export function takeSecret(address: Location, history: History): string | null {
  const arrived = address.hash.slice(1);
  if (/^[!-~]{8,512}$/.test(arrived)) {
    history.replaceState({ secret: arrived } satisfies EntryState, "", address.pathname + address.search);
    return arrived;
  }
  return readEntry(history)?.secret ?? null;
}

/** The session's full URL, which opens the session in another window; null if the page was opened without a secret. */
export function sessionUrl(address: Location, history: History): string | null {
  const entry = readEntry(history);
  return entry && `${address.pathname}#${entry.secret}`;
}

/**
 * Opens the session in a new window. The window is opened empty and then navigated, because browsers log the URL of a
 * window that a sandbox blocks, and ours contains the secret.
 */
export function openElsewhere(window: Window): void {
  const address = sessionUrl(window.location, window.history);
  const opened = address && window.open("", "_blank");
  if (!opened) return;
  opened.opener = null;
  opened.location.replace(address);
}

/**
 * Records that the challenge form with this `creq` is about to be posted, and returns whether it may be. It may be
 * posted once, and once more after a reload, because the bank's page went away with the document. Banks reject a third
 * post and end the challenge. One payment can have two challenges, each with its own `creq`.
 */
export function mayPostChallenge(history: History, creq: string): boolean {
  const entry = readEntry(history);
  const times = entry?.posted?.[creq] ?? 0;
  if (times >= 2) return false;
  updateEntry(history, { posted: { [creq]: times + 1 } });
  return true;
}

/** Updates the entry's other fields and leaves the secret unchanged. */
export function updateEntry(history: History, changes: Partial<EntryState>): void {
  const entry = readEntry(history);
  if (entry) history.replaceState({ ...entry, ...changes } satisfies EntryState, "");
}

export function readEntry(history: History): EntryState | null {
  // Only this file writes this entry's state, and history entries belong to one origin, so the state is ours or null.
  const state = history.state as EntryState | null;
  return typeof state?.secret === "string" ? state : null;
}
