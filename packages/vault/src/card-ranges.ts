/**
 * Caches the acquirer's card ranges for 3-D Secure for an hour. Concurrent callers share one request. If the refresh
 * fails, the old table stays in use and the next request waits for a while.
 */
import { isBankSilence, type Bank, type CardRange } from "./bank.ts";

/** EMV 3DS requires a refresh at least once a day and at most once an hour. */
const lifetimeMs = 60 * 60 * 1000;
/** Pause after a failed request. */
const pauseMs = 30 * 1000;

/** Returns the card ranges, or null if none were received yet. */
export function keepCardRanges(
  bank: Pick<Bank, "cardRanges">,
  now: () => Date,
  warn: (message: string) => void,
): () => Promise<CardRange[] | null> {
  let table: { ranges: CardRange[] | null; askedAt: number; askAgainAt: number } = {
    ranges: null,
    askedAt: Infinity, // not requested yet
    askAgainAt: Infinity,
  };
  let renewal: Promise<void> | null = null;

  return async () => {
    const time = now().getTime();
    if (time >= table.askedAt && time < table.askAgainAt) return table.ranges;
    renewal ??= bank
      .cardRanges()
      .then((ranges) => void (table = { ranges, askedAt: time, askAgainAt: time + lifetimeMs }))
      .catch((error: unknown) => {
        if (!isBankSilence(error)) throw error;
        table = { ranges: table.ranges, askedAt: time, askAgainAt: time + pauseMs };
        warn(error.message);
      })
      .finally(() => (renewal = null));
    await renewal;
    return table.ranges;
  };
}
