/**
 * The checkout's events. They are for updating the page and don't prove a payment; only the signed webhook does.
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
export const callbackNames =
  "LoadStart Ready Resize Change Focus Blur Escape Submit ChallengeStart ChallengeEnd Decline Cancel Complete UpdateRequest Expiring Expire Redirect Error".split(
    " ",
  ) as CallbackName[];

type CallbackName =
  | "LoadStart"
  | "Ready"
  | "Resize"
  | "Change"
  | "Focus"
  | "Blur"
  | "Escape"
  | "Submit"
  | "ChallengeStart"
  | "ChallengeEnd"
  | "Decline"
  | "Cancel"
  | "Complete"
  | "UpdateRequest"
  | "Expiring"
  | "Expire"
  | "Redirect"
  | "Error";

/** One callback per event: `onReady`, `onComplete`, ... */
export type CheckoutCallbacks = {
  [K in CallbackName as `on${K}`]?: (detail: CheckoutEvents[Lowercase<K>]) => void;
};

export const checkoutEventNames: readonly string[] = /* @__PURE__ */ callbackNames.map((name) => name.toLowerCase());
