/**
 * The handle a merchant's page holds: mount, listen, cancel, destroy.
 *
 * It trusts the code that calls it and nothing else on the page. Everything asked of it after `destroy` is answered by doing nothing,
 * because components are torn down in orders nobody foresees. It never moves or reloads a living frame.
 */
import { CheckoutError } from "./checkout-error.ts";
import { CheckoutListeners, checkoutEventNames } from "./checkout-events.ts";
import type { AnyCheckoutEvent, CheckoutEvents } from "./checkout-events.ts";
import { type CheckoutFrame, type FrameState, openFrame } from "./checkout-frame.ts";
import { type CheckoutOptions, readOptions } from "./checkout-options.ts";
import { queryAll } from "./host-document.ts";

export type CheckoutState = "idle" | FrameState | "destroyed";

/** A container, or the selector of one. The first match is taken. */
export type MountTarget = string | Element;

export interface CheckoutHandle {
  /**
   * Settles for every mount: resolves when the form can be used (or the session is already paid), rejects with a
   * {@link CheckoutError} otherwise. With an `error` listener present a rejection needs no `catch`.
   */
  readonly ready: Promise<void>;
  readonly state: CheckoutState;
  /** Shows the frame in the container. A second call moves the checkout there; into the same container it changes nothing. */
  mount(target: MountTarget): CheckoutHandle;
  /** Takes the frame away and keeps the listeners; it can be mounted again. */
  unmount(): void;
  /** Takes the frame away, one task later, and the listeners at once. */
  destroy(): void;
  /** Hears an event, or every event with `"*"`. Answers with how to stop. */
  on<K extends keyof CheckoutEvents>(
    type: K,
    listener: (detail: CheckoutEvents[K]) => void,
    options?: { signal?: AbortSignal; once?: boolean },
  ): () => void;
  on(type: "*", listener: (event: AnyCheckoutEvent) => void, options?: { signal?: AbortSignal; once?: boolean }): () => void;
  /** Goes to the full page now. */
  redirect(): void;
  /** Gives up the bank's challenge, as the frame's own Cancel does. */
  cancelChallenge(): void;
}

/**
 * Creates a checkout and mounts it: {@link createCheckout} and `mount` in one.
 *
 * @example const checkout = mountCheckout("#checkout", { embedUrl, onComplete: ({ sessionId }) => showThanks(sessionId) });
 * @throws TypeError for an option that is unknown or wrong; Error when there is no such container.
 */
export function mountCheckout(target: MountTarget, options: CheckoutOptions): CheckoutHandle {
  const checkout = createCheckout(options);
  try {
    return checkout.mount(target);
  } catch (error) {
    checkout.destroy();
    throw error;
  }
}

/**
 * Creates a checkout that is not shown yet.
 *
 * @throws TypeError for an option that is unknown or wrong.
 */
export function createCheckout(options: CheckoutOptions): CheckoutHandle {
  const settings = readOptions(options);
  const listeners = new CheckoutListeners();
  let frame: CheckoutFrame | null = null;
  let ready = new Settlement();
  let destroyed = false;

  const holder = {
    onEvent(event: AnyCheckoutEvent): void {
      if (event.type === "ready" || event.type === "complete") ready.resolve();
      if (event.type === "error") ready.reject(event.detail, listeners.hears("error"));
      listeners.emit(event);
    },
    onEvicted: destroy,
  };

  function destroy(): void {
    if (destroyed) return;
    destroyed = true;
    settings.signal?.removeEventListener("abort", destroy);
    listeners.clear();
    frame?.leave(holder);
    frame = null;
    ready.reject(new CheckoutError("destroyed"), true);
  }

  const handle: CheckoutHandle = Object.freeze({
    get ready() {
      return ready.promise;
    },
    get state(): CheckoutState {
      return destroyed ? "destroyed" : (frame?.state ?? "idle");
    },
    mount(target: MountTarget): CheckoutHandle {
      if (destroyed) return handle;
      const container = findContainer(target);
      if (frame?.shows(settings.url.href, container)) return handle;
      frame?.leave(holder);
      if (ready.settled) ready = new Settlement();
      frame = openFrame(container, settings, holder);
      return handle;
    },
    unmount(): void {
      frame?.leave(holder);
      frame = null;
    },
    destroy,
    on(type: string, listener: (value: never) => void, given: { signal?: AbortSignal; once?: boolean } = {}): () => void {
      if (type !== "*" && !checkoutEventNames.some((name) => name === type)) {
        throw new TypeError(`Oriel: there is no event "${type}".`);
      }
      if (typeof listener !== "function") throw new TypeError("Oriel: the listener must be a function.");
      const once = Object.hasOwn(given, "once") && given.once === true;
      const signal = Object.hasOwn(given, "signal") ? given.signal : undefined;
      if (destroyed || signal?.aborted) return () => {};
      const remove = listeners.add(type, listener, once);
      signal?.addEventListener("abort", remove);
      return () => {
        signal?.removeEventListener("abort", remove);
        remove();
      };
    },
    redirect(): void {
      if (!destroyed) location.assign(settings.url.href);
    },
    cancelChallenge(): void {
      frame?.cancelChallenge();
    },
  });

  for (const [event, callback] of settings.callbacks) listeners.add(event, callback);
  if (settings.signal?.aborted) destroy();
  else settings.signal?.addEventListener("abort", destroy);
  return handle;
}

/** A promise with its handles outside. It settles once. */
class Settlement {
  readonly promise: Promise<void>;
  settled = false;
  #resolve!: () => void;
  #reject!: (reason: CheckoutError) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(): void {
    this.settled = true;
    this.#resolve();
  }

  /** `heard`: someone else was told, so nobody has to catch this. */
  reject(reason: CheckoutError, heard: boolean): void {
    if (this.settled) return;
    this.settled = true;
    if (heard) this.promise.catch(() => {});
    this.#reject(reason);
  }
}

function findContainer(target: unknown): Element {
  if (typeof document === "undefined") throw new Error("Oriel: mount needs a page; call it in the browser.");
  if (target instanceof Element) return target;
  if (typeof target !== "string") throw new TypeError("Oriel: mount takes an element or a selector.");
  const found = matches(target)[0];
  if (!found) throw new Error(`Oriel: no element matches "${target}". Mount after it is in the document.`);
  return found;
}

function matches(selector: string): Element[] {
  try {
    return queryAll(selector);
  } catch {
    throw new TypeError(`Oriel: "${selector}" is not a selector.`);
  }
}
