/**
 * Keeps the checkout in a container in sync with a component's latest options. The element and the wrappers share this.
 *
 * Components pass all options on every render, and this finds the differences: a new session creates a new checkout,
 * options that can change while the form is open are passed to `update`, and everything else is ignored. So inline
 * callbacks and equal objects cause no work. Callbacks are looked up when an event occurs, so the latest ones are
 * called.
 *
 * While a payment may still succeed, a new session waits, because both sessions could be paid. The event that ends the
 * payment, such as a decline, starts the new session. This also applies if the container leaves the page meanwhile and
 * comes back, but not to a new component, which doesn't know about the payment.
 *
 * Stopping takes effect one task later, because StrictMode and moving an element stop and start in the same task.
 */
import type { AnyCheckoutEvent } from "../api/checkout-events.ts";
import type { CheckoutHandle } from "../api/checkout-handle.ts";
import { changeable, type CheckoutOptions } from "../api/checkout-options.ts";
import { tryTo } from "../page/try-to.ts";
import { createCheckout } from "./create-checkout.ts";

/** A component's options, in which absent ones may also be `undefined`, `null` or an empty string. */
export type ComponentOptions = { [K in keyof CheckoutOptions]?: CheckoutOptions[K] | null | undefined };

export interface CheckoutSync {
  /** Null until there is an `embedUrl` or `fetchEmbedUrl`, and after it's stopped. */
  readonly handle: CheckoutHandle | null;
  /**
   * @param place another container, if the component has replaced it
   * @throws TypeError for an unknown or invalid option
   */
  update(options: ComponentOptions, place?: Element): void;
  /**
   * Stops one task later, unless `update` is called first: destroys the checkout, or, if a payment may still succeed,
   * unmounts it until the next `update`.
   */
  stop(): void;
}

/**
 * @param onEvent receives every event in addition to the callbacks. Without it, errors without a callback are logged
 * @param restarted is called when the handle changes without an `update`
 */
export const syncCheckout = (
  container: Element,
  onEvent?: (event: AnyCheckoutEvent) => void,
  restarted?: () => void,
): CheckoutSync => {
  let handle: CheckoutHandle | null = null;
  let session: unknown;
  let latest: Record<string, unknown> = {};
  /**
   * What the checkout received: true for a callback, and other values as JSON, because the caller may change an object.
   */
  let applied: Record<string, unknown> = {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  function end(): void {
    handle?.destroy();
    handle = null;
  }

  function start(): void {
    end();
    applied = {};
    session = latest["embedUrl"];
    const options: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(latest)) {
      options[name] = isFunction(value) ? call(name) : value;
      applied[name] = isFunction(value) || JSON.stringify(value);
    }
    if (!session && !options["fetchEmbedUrl"]) return;
    const checkout = createCheckout(options); // validates them
    checkout.on("*", (event) => {
      // Runs later, because a listener may pass another session or destroy the checkout. Queued before calling `onEvent`,
      // which may throw.
      queueMicrotask(() => {
        if (checkout !== handle || checkout.isPaymentPending) return;
        // The order is paid, so a session that came meanwhile must not show another form for it.
        if (event.type === "complete") session = latest["embedUrl"];
        if (isSame()) return;
        tryTo(start);
        restarted?.();
      });
      if (onEvent) onEvent(event);
      else if (event.type === "error" && !latest["onError"]) console.error(event.detail);
    });
    handle = checkout.mount(container);
  }

  function isSame(): boolean {
    return latest["embedUrl"] === session;
  }

  function change(checkout: CheckoutHandle): void {
    const patch: Record<string, unknown> = {};
    for (const [name, unset] of Object.entries(changeable)) {
      const now = JSON.stringify(latest[name]);
      if (now !== applied[name]) patch[name] = latest[name] ?? unset;
      applied[name] = now;
    }
    if (Object.keys(patch).length > 0) {
      checkout.update(patch).catch((error: unknown) => {
        if (checkout.state !== "destroyed") console.error(error);
      });
    }
    for (const name of Object.keys(latest)) {
      if (applied[name] || !name.startsWith("on") || !isFunction(latest[name])) continue;
      applied[name] = true;
      checkout.on(name.slice(2).toLowerCase() as "ready", call(name)); // `on` refuses unknown events
    }
  }

  /** Calls the latest function with that name. */
  function call(name: string): (argument: unknown) => unknown {
    return (argument) => {
      const found = latest[name];
      return isFunction(found) ? found(argument) : undefined;
    };
  }

  return {
    get handle() {
      return isStopped ? null : handle;
    },
    update(options, place = container) {
      clearTimeout(timer);
      latest = Object.fromEntries(Object.entries(options).filter(([, value]) => (value ?? "") !== ""));
      const hasMoved = isStopped || place !== container;
      isStopped = false;
      container = place;
      if (!handle || (!isSame() && !handle.isPaymentPending) || (hasMoved && handle.state === "destroyed"))
        return start();
      if (hasMoved) handle.mount(place);
      if (isSame()) change(handle);
    },
    stop() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isStopped = true;
        if (handle?.isPaymentPending) handle.unmount();
        else end();
      });
    },
  };
};

const isFunction = (value: unknown): value is (argument: unknown) => unknown => typeof value === "function";
