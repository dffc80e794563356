/**
 * The events a merchant's page can hear, and who listens to them.
 *
 * All of them are for the screen. None proves a payment: that is the signed webhook's business.
 * A listener that throws harms neither the frame nor the next listener; its error is reported like any uncaught one.
 */
import type { FrameEventName, FrameEvents } from "@oriel/protocol/windows";
import type { CheckoutError } from "./checkout-error.ts";

export interface CheckoutEvents extends Omit<
  FrameEvents,
  "error" | "ready" | "resize" | "grow" | "shrink" | "leave" | "why"
> {
  /** The frame has begun to load. */
  loadstart: Record<string, never>;
  /** The form can be used. `protocol`: the version that loader and frame speak. */
  ready: FrameEvents["ready"] & { protocol: string };
  /** The frame's new size in CSS pixels. */
  resize: { width: number; height: number };
  /** This window is about to go to `url`, unless `preventDefault` is called before the listener returns. */
  redirect: { url: string; reason: "fallback" | "challenge" | "complete"; preventDefault(): void };
  error: CheckoutError;
}

export type CheckoutEventName = keyof CheckoutEvents;

/** What `on("*")` hears: every event with its name. */
export type AnyCheckoutEvent = { [K in CheckoutEventName]: { type: K; detail: CheckoutEvents[K] } }[CheckoutEventName];

/** The events' names as callbacks are called: `LoadStart` is the event `loadstart` and the option `onLoadStart`. */
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

export type FrameState = "loading" | "ready" | "submitting" | "challenge" | "complete" | "expired" | "error";

/** The state of the checkout after an event of the iframe. Others leave it as it is. */
export const stateAfter: Partial<Record<FrameEventName, FrameState>> = {
  ready: "ready",
  submit: "submitting",
  challengestart: "challenge",
  challengeend: "submitting",
  decline: "ready",
  complete: "complete",
  expire: "expired",
  error: "error",
};

type Listener = (value: never) => void;

/** Listeners by event name. */
export interface CheckoutListeners {
  /** Answers with how to take the listener away again. */
  add(name: string, fn: Listener, once?: boolean): () => void;
  /** Says whether anyone would hear this event. */
  hears(name: CheckoutEventName): boolean;
  emit(event: AnyCheckoutEvent): void;
  clear(): void;
}

export function createListeners(): CheckoutListeners {
  const entries = new Set<{ name: string; fn: Listener; once: boolean }>();
  const heard = (entry: { name: string }, name: string) => entry.name === name || entry.name === "*";
  return {
    add(name, fn, once = false) {
      const entry = { name, fn, once };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    hears: (name) => [...entries].some((entry) => heard(entry, name)),
    emit(event) {
      for (const entry of Array.from(entries)) {
        if (!entries.has(entry) || !heard(entry, event.type)) continue;
        if (entry.once) entries.delete(entry);
        try {
          // `add` is reached only through `on` and the options, whose types tie the function to the name.
          entry.fn((entry.name === "*" ? event : event.detail) as never);
        } catch (error) {
          reportError(error);
        }
      }
    },
    clear: () => entries.clear(),
  };
}
