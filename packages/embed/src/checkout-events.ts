/**
 * The events a merchant's page can hear, and who listens to them.
 *
 * All of them are for the screen. None proves a payment: that is the signed webhook's business.
 * A listener that throws harms neither the frame nor the next listener; its error is reported like any uncaught one.
 */
import type { FrameEvents } from "@oriel/protocol/windows";
import type { CheckoutError } from "./checkout-error.ts";

export interface CheckoutEvents extends Omit<FrameEvents, "error"> {
  /** The frame has begun to load. */
  loadstart: Record<string, never>;
  error: CheckoutError;
}

export type CheckoutEventName = keyof CheckoutEvents;

/** What `on("*")` hears: every event with its name. */
export type AnyCheckoutEvent = { [K in CheckoutEventName]: { type: K; detail: CheckoutEvents[K] } }[CheckoutEventName];

export const checkoutEventNames = [
  "loadstart",
  "ready",
  "resize",
  "submit",
  "challengestart",
  "challengeend",
  "decline",
  "complete",
  "error",
] as const satisfies readonly CheckoutEventName[];

type Listener = (value: never) => void;

/** Listeners by event name. Adding one answers with how to take it away again. */
export class CheckoutListeners {
  readonly #byName = new Map<string, Set<{ fn: Listener; once: boolean }>>();

  add(name: string, fn: Listener, once = false): () => void {
    const entry = { fn, once };
    const entries = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, entries.add(entry));
    return () => void entries.delete(entry);
  }

  /** Says whether anyone would hear this event. */
  hears(name: CheckoutEventName): boolean {
    return [name, "*"].some((key) => (this.#byName.get(key)?.size ?? 0) > 0);
  }

  emit(event: AnyCheckoutEvent): void {
    this.#call(event.type, event.detail);
    this.#call("*", event);
  }

  clear(): void {
    this.#byName.clear();
  }

  #call(name: string, value: unknown): void {
    const entries = this.#byName.get(name);
    for (const entry of Array.from(entries ?? [])) {
      if (!entries?.has(entry)) continue;
      if (entry.once) entries.delete(entry);
      try {
        // `add` is reached only through `on` and the options, whose types tie the function to the name.
        entry.fn(value as never);
      } catch (error) {
        reportError(error);
      }
    }
  }
}
