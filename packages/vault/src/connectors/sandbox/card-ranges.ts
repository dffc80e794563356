/**
 * Caches the acquirer's card ranges for 3-D Secure for an hour. Concurrent callers share one request. If the refresh
 * fails, the old table stays in use and the next request waits for a while.
 */
import { isOutcomeUnknown } from "../errors.ts";
import type { Enrollment } from "../three-ds-server.ts";
import type { CardRange } from "./threeds-responses.ts";

/** EMV 3DS requires a refresh at least once a day and at most once an hour. */
const lifetimeMs = 60 * 60 * 1000;
/** Pause after a failed request. */
const pauseMs = 30 * 1000;

/** @returns the enrollment of a card number, as of the newest table */
export function cacheCardRanges(
  request: () => Promise<CardRange[]>,
  now: () => Date,
  warn: (message: string) => void,
): (cardNumber: string) => Promise<Enrollment> {
  let table: { ranges: CardRange[] | null; requestedAt: number; refreshAt: number } = {
    ranges: null,
    requestedAt: Infinity, // not requested yet
    refreshAt: Infinity,
  };
  let renewal: Promise<void> | null = null;

  return async (cardNumber) => {
    const ranges = await currentRanges();
    if (ranges === null) return "unknown";
    return ranges.find((range) => isInRange(cardNumber, range))?.versions.at(-1) ?? null;
  };

  async function currentRanges(): Promise<CardRange[] | null> {
    const time = now().getTime();
    if (time >= table.requestedAt && time < table.refreshAt) return table.ranges;
    renewal ??= request()
      .then((ranges) => void (table = { ranges, requestedAt: time, refreshAt: time + lifetimeMs }))
      .catch((error: unknown) => {
        if (!isOutcomeUnknown(error)) throw error;
        table = { ranges: table.ranges, requestedAt: time, refreshAt: time + pauseMs };
        warn(error.message);
      })
      .finally(() => (renewal = null));
    await renewal;
    return table.ranges;
  }
}

function isInRange(number: string, { start, end }: CardRange): boolean {
  return number.length === start.length && number >= start && number <= end;
}
