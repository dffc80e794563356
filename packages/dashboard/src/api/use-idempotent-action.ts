/**
 * Manages the idempotency key of an action. A double click, or a retry after an unknown outcome, uses the same key, so
 * the action runs once. After a success or a definite error, the next request gets a new key.
 */
import { useState } from "react";
import { requestErrorOf } from "./api-error.ts";

export interface OneWish {
  key: string;
  /** Call it after an error. */
  failed(error: unknown): void;
  /** Call it after a success. */
  done(): void;
  /** Whether the outcome of the last request is unknown. It can then only be retried unchanged. */
  isOpen: boolean;
}

/** @param undecided the key of an earlier request with an unknown outcome, to continue with */
export function useIdempotentAction(undecided?: string): OneWish {
  const [{ key, isOpen }, setAction] = useState(() => ({
    key: undecided ?? crypto.randomUUID(),
    isOpen: undecided !== undefined,
  }));
  return {
    key,
    isOpen,
    done: () => setAction({ key: crypto.randomUUID(), isOpen: false }),
    failed: (error) =>
      setAction(isUndecided(error) ? { key, isOpen: true } : { key: crypto.randomUUID(), isOpen: false }),
  };
}

/** Whether the error leaves the outcome unknown: there was no response, or the server failed. */
export function isUndecided(error: unknown): boolean {
  const { status } = requestErrorOf(error);
  return status === 0 || status >= 500;
}
