/**
 * Notifications as they are stored: what the connector read, without anything that looks like a card number. Connectors
 * keep nothing of a card, so this is only the last line of defense. PostgreSQL can't store some characters in JSON, which
 * are replaced: the acquirer holds back what follows a notification that can't be stored.
 */
import type { Notification } from "@oriel/vault";
import { containsCardNumber } from "../../platform/card-data/card-number.ts";

export type Contents = Omit<Notification, "id"> & {
  /** It has the ID of an earlier one, but another date, which isn't signed (`receive.ts`). */
  isReportedAgain?: true;
};

/**
 * - `processed`: it has had its effect, or needed none.
 * - `later`: what it's about isn't recorded yet.
 * - `waits`: it may be about an attempt whose outcome is unknown, or comes after it. It's tried again until that's known.
 * - `early`: it says that it repeats a capture or refund whose failure isn't known yet. That isn't signed, so it can have its
 *   effect only after the failure.
 * - `unexpected`: it doesn't fit what we know. A person has to look.
 */
export type Result = "processed" | "later" | "waits" | "early" | "unexpected";

/** They're signed, and one that has only digits can look like a card number. */
const acquirerIds = new Set(["acquirerId", "authorizationId"]);

export function toContents({ event, name, signed, unsigned, isReportedAgain }: Contents): string {
  return JSON.stringify({ event, name, signed, unsigned, isReportedAgain }, (key, value: unknown) => {
    if (typeof value !== "string") return value;
    return !acquirerIds.has(key) && containsCardNumber(value)
      ? null
      : value.toWellFormed().replaceAll("\0", "\u{fffd}");
  });
}

/** Reads {@link toContents}. A reference that looked like a card number is null. It isn't ours, and fits nothing. */
export function fromContents(contents: Readonly<Record<string, unknown>>): Contents {
  return contents as unknown as Contents; // only `toContents` writes it
}
