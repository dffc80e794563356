/**
 * Takes the session's client secret out of the address and keeps it where reload and Back still find it, beside what
 * else a reload must not forget.
 *
 * The secret arrives in the fragment, which no log and no Referer holds. It is moved into `history.state`, so that the
 * address bar, screenshots and the merchant's support never show it either. There is no cookie and no storage: a
 * third-party frame has none. Nothing of a card is ever kept here.
 */

/** What this page keeps in its history entry. */
interface Kept {
  secret: string;
  /** How often the bank's challenge form was posted from this entry, by what it carries: of the newest challenge. */
  posted?: Record<string, number>;
  /** The id of a payment request that was sent, for as long as its answer is unknown. */
  lost?: string | undefined;
}

/** The secret, or null when the page was opened without it. */
export function takeSecret(address: Location, history: History): string | null {
  const arrived = address.hash.slice(1);
  if (/^[!-~]{8,512}$/.test(arrived)) {
    history.replaceState({ secret: arrived } satisfies Kept, "", address.pathname + address.search);
    return arrived;
  }
  return readKept(history)?.secret ?? null;
}

/**
 * The session's whole address, with which another window can open it; null when the page was opened without a secret.
 */
export function wholeAddress(address: Location, history: History): string | null {
  const kept = readKept(history);
  return kept && `${address.pathname}#${kept.secret}`;
}

/**
 * Opens the session in a window of its own. The window is opened empty and sent on, because a browser prints the
 * address of a window that a sandbox blocks, and ours has the secret in it.
 */
export function openElsewhere(window: Window): void {
  const address = wholeAddress(window.location, window.history);
  const opened = address && window.open("", "_blank");
  if (!opened) return;
  opened.opener = null;
  opened.location.replace(address);
}

/**
 * Notes that the challenge form with this `creq` is about to be posted, and says whether it may be: once, and once more
 * after a reload (the bank's page went with the document). A bank answers a third with an error and ends the challenge.
 * One payment can have two challenges, each with a `creq` of its own.
 */
export function mayPostChallenge(history: History, creq: string): boolean {
  const kept = readKept(history);
  const times = kept?.posted?.[creq] ?? 0;
  if (times >= 2) return false;
  keep(history, { posted: { [creq]: times + 1 } });
  return true;
}

/** Changes what the entry keeps beside the secret, and nothing else in it. */
export function keep(history: History, changes: Partial<Kept>): void {
  const kept = readKept(history);
  if (kept) history.replaceState({ ...kept, ...changes } satisfies Kept, "");
}

export function readKept(history: History): Kept | null {
  // Only this file writes this entry's state, and a history entry is of one origin: it is ours or it is null.
  const state = history.state as Kept | null;
  return typeof state?.secret === "string" ? state : null;
}
