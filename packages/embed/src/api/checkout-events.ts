/**
 * The checkout's events and their listeners.
 *
 * Events are for updating the page and don't prove a payment; only the signed webhook does. If a listener throws, its
 * error is reported as uncaught, and the iframe and the other listeners aren't affected.
 */
import type { FrameEvents } from "@oriel/protocol/windows";
import type { CheckoutError } from "./checkout-error.ts";

export interface CheckoutEvents extends Omit<
  FrameEvents,
  "error" | "ready" | "resize" | "grow" | "shrink" | "leave" | "title" | "why"
> {
  /** The iframe started to load. */
  loadstart: Record<string, never>;
  /** The form is ready to use. `protocol` is the version that the loader and the iframe use. */
  ready: FrameEvents["ready"] & { protocol: string };
  /** The iframe's new size in CSS pixels. */
  resize: { width: number; height: number };
  /** This window will navigate to `url`, unless the listener calls `preventDefault` before it returns. */
  redirect: { url: string; reason: "fallback" | "challenge" | "complete"; preventDefault(): void };
  error: CheckoutError;
}

export type CheckoutEventName = keyof CheckoutEvents;

/** What `on("*")` listeners receive: every event with its name. */
export type AnyCheckoutEvent = { [K in CheckoutEventName]: { type: K; detail: CheckoutEvents[K] } }[CheckoutEventName];

/** Event names as used in callback options: `LoadStart` is the event `loadstart` and the option `onLoadStart`. */
export const callbackNames = [
  "LoadStart",
  "Ready",
  "Resize",
  "Change",
  "Focus",
  "Blur",
  "Escape",
  "Submit",
  "ChallengeStart",
  "ChallengeEnd",
  "Decline",
  "Cancel",
  "Complete",
  "Expiring",
  "Expire",
  "Redirect",
  "Error",
] as const;

type CallbackName = (typeof callbackNames)[number];

/** One callback per event: `onReady`, `onComplete`, ... */
export type CheckoutCallbacks = {
  [K in CallbackName as `on${K}`]?: (detail: CheckoutEvents[Lowercase<K>]) => void;
};

export const checkoutEventNames: readonly string[] = /* @__PURE__ */ callbackNames.map((name) => name.toLowerCase());

type Listener = (value: never) => void;

/** Listeners by event name. */
export interface CheckoutListeners {
  /** Returns a function that removes the listener. */
  add(name: string, fn: Listener, once?: boolean): () => void;
  /** Whether this event has a listener. */
  listensTo(name: CheckoutEventName): boolean;
  emit(event: AnyCheckoutEvent): void;
  clear(): void;
}

export function createListeners(): CheckoutListeners {
  const entries = new Set<{ name: string; fn: Listener; once: boolean }>();
  const matches = (entry: { name: string }, name: string) => entry.name === name || entry.name === "*";
  return {
    add(name, fn, once = false) {
      const entry = { name, fn, once };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    listensTo: (name) => [...entries].some((entry) => matches(entry, name)),
    emit(event) {
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
    clear: () => entries.clear(),
  };
}
