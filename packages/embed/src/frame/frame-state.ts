/**
 * What an iframe shows and what is known about its payment, and how each event changes that.
 *
 * ```
 * loading -> ready <-> submitting <-> challenge -> complete        (decline: back to ready; a reload of the iframe: back to loading)
 *    any of them -> error | expired -> loading (renewed with another session)
 * ```
 *
 * The state doesn't tell whether the customer may still be charged. After a lost response it's `error`, after a reload
 * `loading`, and with a slow acquirer `complete`, although the payment may still succeed. Code that could start a second
 * payment or hide the first one must therefore use {@link isPending}.
 */
import type { AnyFrameEvent, FrameEventName, FrameEvents } from "@oriel/protocol/windows";
import type { FrameState } from "../api/checkout-handle.ts";

type PaymentStatus = "unknown" | FrameEvents["complete"]["status"] | null;

export interface FrameStatus {
  readonly state: FrameState;
  /**
   * Null without a payment, `unknown` from Pay until the iframe reports how it ended, and then the status of `complete`.
   * A decline sets it to null. Errors and reloads don't change it.
   */
  readonly paymentStatus: PaymentStatus;
  /** The detail of `ready`, if the loaded form has sent it. */
  readonly ready: FrameEvents["ready"] | null;
  /** The last `complete` of this attempt, so that a reload doesn't repeat it and a joining checkout receives it. */
  readonly completed: FrameEvents["complete"] | null;
  /** Whether the session was renewed and the new form isn't ready yet. */
  readonly isRenewed: boolean;
}

export const newStatus: FrameStatus = {
  state: "loading",
  paymentStatus: null,
  ready: null,
  completed: null,
  isRenewed: false,
};

/** The state after each of these events from the iframe. Other events don't change it. */
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

/** Whether a payment may still succeed or fail, so that another one could charge the customer twice. */
export const isPending = ({ paymentStatus }: FrameStatus): boolean =>
  paymentStatus === "unknown" || paymentStatus === "processing";

/** An event from the iframe, or an error with one of the loader's own codes. */
export type FrameChange = AnyFrameEvent | { name: "error"; detail: { code: string; isPaymentPending?: boolean } };

export const afterEvent = (status: FrameStatus, event: FrameChange): FrameStatus => {
  const { name } = event;
  const isReady = name === "ready";
  return {
    state: stateAfter[name] ?? status.state,
    paymentStatus: paymentAfter(status.paymentStatus, event),
    ready: isReady ? event.detail : status.ready,
    completed: name === "complete" ? event.detail : /^(submit|decline|expire)$/.test(name) ? null : status.completed,
    isRenewed: status.isRenewed && !isReady,
  };
};

/** What checkout-frame.ts does after an event, in this order. If it does nothing else for a name, it emits the event. */
export type FrameEffect = FrameEventName | "settle" | "renew" | "sandboxed" | "end";

/** @param canRenew whether there can be another session when this one expires */
export const transition = (
  status: FrameStatus,
  event: AnyFrameEvent,
  canRenew: boolean,
): [status: FrameStatus, effects: FrameEffect[]] => {
  const { name, detail } = event;
  if (name === "error" && detail.code === "sandboxed") return [status, [detail.code]];
  // The session expired before its form was ready, so there will be no form unless a new session can be fetched. Try
  // that once.
  if (name === "expire" && !status.ready && (status.isRenewed || !canRenew)) return [status, ["end"]];
  const effects: FrameEffect[] = /^(ready|complete|error|expire)$/.test(name) ? ["settle"] : [];
  // A completed iframe sends this again after a reload, but the merchant's code receives each status once per attempt.
  if (name !== "complete" || status.completed?.status !== detail.status) effects.push(name);
  if (name === "expire") effects.push("renew");
  return [afterEvent(status, event), effects];
};

export const afterLoad = { ready: null, state: "loading" } as const;

const paymentAfter = (before: PaymentStatus, { name, detail }: FrameChange): PaymentStatus => {
  if (name === "complete") return detail.status;
  // An expired session has no payment in progress and accepts none. `session_invalid` alone isn't enough, because it may
  // also mean that a request was refused.
  if (name === "error") return detail.code === "session_expired" || detail.isPaymentPending === false ? null : before;
  if (name === "decline" || name === "expire" || (name === "ready" && !detail.isPaymentPending)) return null;
  return before ?? (/^(ready|submit|challenge)/.test(name) ? "unknown" : null);
};
