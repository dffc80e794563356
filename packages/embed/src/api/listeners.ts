/**
 * The listeners of a checkout's events. If one throws, its error is reported as uncaught, and the iframe and the other
 * listeners aren't affected.
 */
import {
  type AnyCheckoutEvent,
  type CheckoutCallbacks,
  type CheckoutEventName,
  callbackNames,
} from "./checkout-events.ts";

type Listener = (value: never) => void;

/** Listeners by event name. */
export interface CheckoutListeners {
  /** Returns a function that removes the listener. */
  addEntry(name: string, fn: Listener, once?: boolean): () => void;
  /** Whether this event has a listener. */
  listensTo(name: CheckoutEventName): boolean;
  emitEvent(event: AnyCheckoutEvent): void;
  clearEntries(): void;
}

export const createListeners = (): CheckoutListeners => {
  const entries = new Set<{ name: string; fn: Listener; once: boolean }>();
  const matches = (entry: { name: string }, name: string) => entry.name === name || entry.name === "*";
  return {
    addEntry(name, fn, once = false) {
      const entry = { name, fn, once };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    listensTo: (name) => [...entries].some((entry) => matches(entry, name)),
    emitEvent(event) {
      for (const entry of new Set(entries)) {
        if (!entries.has(entry) || !matches(entry, event.type)) continue;
        if (entry.once) entries.delete(entry);
        try {
          // Only `on` and the options add listeners, and their types match the function to the event name.
          entry.fn((entry.name === "*" ? event : event.detail) as never);
        } catch (error) {
          // Reported as uncaught. Node, where tests use the mock, has no `reportError`.
          setTimeout(() => {
            throw error;
          });
        }
      }
    },
    clearEntries: () => entries.clear(),
  };
};

/** Adds the callbacks of the options. */
export const addCallbacks = ({ addEntry }: CheckoutListeners, callbacks: CheckoutCallbacks): void => {
  for (const name of callbackNames) {
    const callback = callbacks[`on${name}`];
    if (callback) addEntry(name.toLowerCase(), callback);
  }
};
