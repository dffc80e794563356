/**
 * The bank's table of who takes part in 3-D Secure, kept for an hour. One question at a time, whoever asks; a table
 * that cannot be renewed stays in use, and after a failure the bank is left alone for a while.
 */
import { isBankSilence, type Bank, type CardRange } from "./bank.ts";

/** How long a table is believed. The specification asks for a fresh one once a day at least, once an hour at most. */
const lifetimeMs = 60 * 60 * 1000;
/** How long the bank is left alone after it could not tell. */
const pauseMs = 30 * 1000;

/** Gives the ranges; null while there is no table, so that nobody can say who takes part. */
export function keepCardRanges(
  bank: Pick<Bank, "cardRanges">,
  now: () => Date,
  warn: (message: string) => void,
): () => Promise<CardRange[] | null> {
  let table: { ranges: CardRange[] | null; askedAt: number; askAgainAt: number } = {
    ranges: null,
    askedAt: Infinity, // not yet
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
