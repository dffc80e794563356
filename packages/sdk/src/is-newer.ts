/**
 * Determines whether an event is newer than another event of the same object. Webhooks can arrive in any order and more
 * than once, and `created` only has whole seconds. `object_sequence` numbers the events of one `data.object.id` from 1
 * without gaps.
 */
import type { Event } from "@oriel/protocol/api";

/**
 * Returns whether an event is newer than the last one you processed for the same object. Store the highest
 * `object_sequence` for each `event.data.object.id` in the same transaction as your changes, and ignore events that
 * aren't newer: they're outdated or repeated.
 *
 * @example
 * const row = await lastSeen(event.data.object.id);
 * if (!isNewer(event, row?.sequence)) return; // acknowledge without processing
 * await save(event.data.object, event.object_sequence);
 * @param lastSequence the highest `object_sequence` seen for `event.data.object.id`; null or undefined if there's none
 * @throws TypeError if `lastSequence` isn't a whole number, for example a string from a database
 */
export function isNewer(event: Pick<Event, "object_sequence">, lastSequence: number | null | undefined): boolean {
  if (lastSequence === null || lastSequence === undefined) return true;
  if (!Number.isSafeInteger(lastSequence)) {
    throw new TypeError(
      "Oriel: lastSequence must be a whole number, null or undefined. If your database returns a bigint, convert it with Number(...).",
    );
  }
  return event.object_sequence > lastSequence;
}
