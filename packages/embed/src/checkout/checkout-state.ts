/**
 * What a checkout remembers between events, how each event changes that, and what the checkout does then.
 *
 * The iframe's own state is in frame-state.ts. This one also exists without an iframe: before the first, while a session
 * is fetched, and after the last.
 */
import type { CheckoutState } from "../api/checkout-handle.ts";
import type { EmbedUrl } from "../api/embed-url.ts";
import type { HolderEvent } from "../frame/checkout-frame.ts";
import { type FrameStatus, isPending, stateAfter } from "../frame/frame-state.ts";

export interface CheckoutStatus {
  /** Null until it has been fetched, or if it's malformed. */
  readonly sessionUrl: EmbedUrl | null;
  /** The last state is an error, and no payment may have succeeded, so mounting again asks for another session. */
  readonly needsAnother?: boolean;
  /** Whether the last iframe left a payment of this session pending. Then there won't be another session. */
  readonly wasPending?: boolean;
  readonly isDestroyed?: boolean;
}

/** What create-checkout.ts does after an event, with that event. If it does nothing else for a name, it emits the event. */
export type CheckoutEffect = HolderEvent["type"] | "resolve" | "reject" | "close" | "return";

const effectsOf = {
  __proto__: null, // a polluted Object.prototype has no effect
  ready: ["resolve", "ready"],
  error: ["reject", "error"],
  complete: ["resolve", "complete", "return"],
  escape: ["escape", "close"],
} as Partial<Record<HolderEvent["type"], readonly CheckoutEffect[]>>;

/** Returns what changes, and what to do. */
export const transition = (
  event: HolderEvent,
): readonly [changes: Partial<CheckoutStatus>, effects: readonly CheckoutEffect[]] => {
  const { type, detail } = event;
  // If the customer pressed Pay and the outcome is unknown, keep the session, because it will have the outcome.
  const changes = type in stateAfter ? { needsAnother: type === "error" && !detail.mayHavePaid } : {};
  return [changes, effectsOf[type] ?? [type]];
};

/** @param frame the iframe's status, if there is an iframe */
export const hasPendingPayment = ({ wasPending }: CheckoutStatus, frame: FrameStatus | null): boolean =>
  frame ? isPending(frame) : wasPending === true;

export const stateOf = (
  { isDestroyed, needsAnother }: CheckoutStatus,
  frame: FrameStatus | null,
  isMounted: boolean,
): CheckoutState => {
  if (isDestroyed) return "destroyed";
  return frame?.state ?? (!isMounted ? "idle" : needsAnother ? "error" : "loading");
};
