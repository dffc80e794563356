/**
 * Which of two events of one object is the later one. Deliveries arrive in any order and more than once, and `created`
 * counts in whole seconds, so only `object_sequence` can tell: it counts the events of one `data.object.id` from 1
 * without gaps.
 */
import type { Event } from "@oriel/protocol/api";

/**
 * Whether an event says more about its object than what was seen before. Keep the highest number for each
 * `event.data.object.id`, in the same transaction as what the event changes, and drop what is not newer: it is the
 * past, or has come before.
 *
 * @example
 * const row = await lastSeen(event.data.object.id); if (!isNewer(event, row?.sequence)) return; // acknowledged, and
 * nothing is done await save(event.data.object, event.object_sequence);
 * @param lastSequence The highest `object_sequence` seen of `event.data.object.id`; null or undefined when there was
 *   none.
 * @throws TypeError for what is not a whole number, such as the text that some databases give for one
 */
export function isNewer(event: Pick<Event, "object_sequence">, lastSequence: number | null | undefined): boolean {
  if (lastSequence === null || lastSequence === undefined) return true;
  if (!Number.isSafeInteger(lastSequence)) {
    throw new TypeError(
      "Oriel: lastSequence must be a whole number, null or undefined. A database's bigint needs Number(...).",
    );
  }
  return event.object_sequence > lastSequence;
}
