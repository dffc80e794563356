/**
 * Takes the session's client secret out of the address and keeps it where reload and Back still find it.
 *
 * The secret arrives in the fragment, which no log and no Referer holds. It is moved into `history.state`, so that the address bar,
 * screenshots and the merchant's support never show it either. There is no cookie and no storage: a third-party frame has none.
 */

/** What this page keeps in its history entry. */
interface Kept {
  secret: string;
  /** How often the bank's challenge form was posted from this entry, by payment. */
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

/**
 * Notes that the challenge form of `payment` is about to be posted, and says whether it may be: once, and once more after a reload
 * (the bank's page went with the document). A bank answers a third with an error and ends the challenge.
 */
export function mayPostChallenge(history: History, payment: string): boolean {
  const kept = readKept(history);
  const times = kept?.posted?.[payment] ?? 0;
  if (times >= 2) return false;
  if (kept) history.replaceState({ secret: kept.secret, posted: { [payment]: times + 1 } } satisfies Kept, "");
  return true;
}

function readKept(history: History): Kept | null {
  // Only this file writes this entry's state, and a history entry is of one origin: it is ours or it is null.
  const state = history.state as Kept | null;
  return typeof state?.secret === "string" ? state : null;
}
