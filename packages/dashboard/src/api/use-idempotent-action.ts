/**
 * Manages the idempotency key of an action. A double click, or a retry after an unknown outcome, uses the same key, so
 * the action runs once. After a success, or a refusal that the service made after it looked up the key, the next
 * request gets a new key.
 */
import { useState } from "react";
import { isOutcomeUnknown, requestErrorOf } from "./api-error.ts";

export interface IdempotentAction {
  key: string;
  /** Call it after an error. @returns whether the action is open now */
  failed(error: unknown): boolean;
  /** Call it after a success. */
  done(): void;
  /** Whether the outcome of an earlier request is unknown. It can then only be retried unchanged. */
  isOpen: boolean;
}

/** @param undecided the key of an earlier request with an unknown outcome, to continue with */
export function useIdempotentAction(undecided?: string): IdempotentAction {
  const [{ key, isOpen }, setAction] = useState(() => ({
    key: undecided ?? crypto.randomUUID(),
    isOpen: undecided !== undefined,
  }));
  return {
    key,
    isOpen,
    done: () => setAction({ key: crypto.randomUUID(), isOpen: false }),
    failed: (error) => {
      const isStillOpen = isOpenAfter(error, isOpen);
      setAction({ key: isStillOpen ? key : crypto.randomUUID(), isOpen: isStillOpen });
      return isStillOpen;
    },
  };
}

/**
 * Refusals because of who sends a request or how many: the session has ended, the role doesn't allow it, the user isn't
 * a member of the team anymore, there are too many requests. The service makes them before it looks up the key.
 */
const beforeKey: ReadonlySet<number> = new Set([401, 403, 404, 429]);

/**
 * Whether the outcome of an action is unknown after an error. A refusal before the lookup of the key says nothing about
 * an earlier request with that key, which may have succeeded.
 */
export function isOpenAfter(error: unknown, wasOpen: boolean): boolean {
  return isOutcomeUnknown(error) || (wasOpen && beforeKey.has(requestErrorOf(error).status));
}
