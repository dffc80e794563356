/**
 * An idempotency key for each time that somebody means it: a double click, or another try after no answer came, is the
 * same wish and is done once. After a refusal the wish is over, and what is sent next is another one.
 */
import { useState } from "react";
import { refusalOf } from "./refusal.ts";

export interface OneWish {
  key: string;
  /** After a failure. */
  failed(error: unknown): void;
  /** What comes next is another one. */
  done(): void;
  /** Nobody knows yet whether it was done: it can only be asked for again, unchanged. */
  isOpen: boolean;
}

/** @param undecided the key of a wish that was sent earlier and had no answer: it goes on */
export function useOneWish(undecided?: string): OneWish {
  const [{ key, isOpen }, setWish] = useState(() => ({
    key: undecided ?? crypto.randomUUID(),
    isOpen: undecided !== undefined,
  }));
  return {
    key,
    isOpen,
    done: () => setWish({ key: crypto.randomUUID(), isOpen: false }),
    failed: (error) =>
      setWish(isUndecided(error) ? { key, isOpen: true } : { key: crypto.randomUUID(), isOpen: false }),
  };
}

/** No answer, or one that says that the outcome is not known. A lost session or a slow line decides nothing either. */
export function isUndecided(error: unknown): boolean {
  const { status } = refusalOf(error);
  return status === 0 || status >= 500;
}
