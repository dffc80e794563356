/**
 * Takes the session's client secret out of the address and keeps it where reload and Back still find it.
 *
 * The secret arrives in the fragment, which no log and no Referer holds. It is moved into `history.state`, so that the address bar,
 * screenshots and the merchant's support never show it either. There is no cookie and no storage: a third-party frame has none.
 */

/** What this page keeps in its history entry. */
interface Kept {
  secret: string;
  /** How often the bank's challenge form was posted from this entry, by what it carries: of the newest challenge. */
  posted?: Record<string, number>;
}

/** The secret, or null when the page was opened without it. */
export function takeSecret(address: Location, history: History): string | null {
  const arrived = address.hash.slice(1);
  if (/^[\x21-\x7e]{8,512}$/.test(arrived)) {
    history.replaceState({ secret: arrived } satisfies Kept, "", address.pathname + address.search);
    return arrived;
  }
  return readKept(history)?.secret ?? null;
}

/** The session's whole address, with which another window can open it; null when the page was opened without a secret. */
export function wholeAddress(address: Location, history: History): string | null {
  const kept = readKept(history);
  return kept && `${address.pathname}#${kept.secret}`;
}

/**
 * Notes that the challenge form with this `creq` is about to be posted, and says whether it may be: once, and once more after a reload
 * (the bank's page went with the document). A bank answers a third with an error and ends the challenge. One payment can have two challenges, each
 * with a `creq` of its own.
 */
export function mayPostChallenge(history: History, creq: string): boolean {
  const kept = readKept(history);
  const times = kept?.posted?.[creq] ?? 0;
  if (times >= 2) return false;
  if (kept) history.replaceState({ secret: kept.secret, posted: { [creq]: times + 1 } } satisfies Kept, "");
  return true;
}

function readKept(history: History): Kept | null {
  // Only this file writes this entry's state, and a history entry is of one origin: it is ours or it is null.
  const state = history.state as Kept | null;
  return typeof state?.secret === "string" ? state : null;
}
