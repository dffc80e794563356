/**
 * What the element and the wrappers share: one container, and in it the checkout that the latest options ask for.
 *
 * A component says again and again what it wants, and this finds out what that changes: another session is another
 * checkout, an option that can change while the form stands goes to `update`, and nothing else is touched. So a new
 * function or a new object of the same content, which a component makes on every render, costs nothing. Callbacks are
 * looked up when the event comes, and so are always the latest.
 *
 * Stopping waits a task: StrictMode, and moving an element, stop and start again in the same one.
 */
import { changeable } from "./checkout-options.ts";
import { type AnyCheckoutEvent, type CheckoutHandle, type CheckoutOptions, createCheckout } from "../index.ts";

/** Options of a component, where what is not there may also be there and `undefined` or `null`. */
export type KeptOptions = { [K in keyof CheckoutOptions]?: CheckoutOptions[K] | null | undefined };

export interface CheckoutKeeper {
  /** null until there is an `embedUrl` or a `fetchEmbedUrl`, and after the end. */
  readonly handle: CheckoutHandle | null;
  /** @throws TypeError for an option that is unknown or wrong. */
  update(options: KeptOptions): void;
  /** Destroys the checkout one task later, unless `update` is called before. */
  stop(): void;
}

/**
 * @param hear hears every event beside the callbacks; then an error has been heard.
 * @param restarted is called when there is another handle without an `update`.
 */
export function keepCheckout(
  container: Element,
  hear?: (event: AnyCheckoutEvent) => void,
  restarted?: () => void,
): CheckoutKeeper {
  let handle: CheckoutHandle | null = null;
  let session: unknown;
  let latest: Record<string, unknown> = {};
  /**
   * What the checkout knows: that there is a callback, and the rest as JSON, for whoever passed an object may change
   * it.
   */
  let told: Record<string, unknown> = {};
  let timer: ReturnType<typeof setTimeout> | undefined;

  function end(): void {
    handle?.destroy();
    handle = null;
  }

  function start(): void {
    end();
    told = {};
    session = latest["embedUrl"] ?? undefined;
    const options: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(latest)) {
      options[name] = isFunction(value) ? call(name) : (value ?? undefined);
      told[name] = isFunction(value) || JSON.stringify(options[name]);
    }
    if (!session && !options["fetchEmbedUrl"]) return;
    const checkout = createCheckout(options); // which reads them as a stranger's
    if (hear) checkout.on("*", hear);
    checkout.on("decline", () =>
      queueMicrotask(() => {
        if (checkout !== handle || isSame()) return;
        start();
        restarted?.();
      }),
    );
    handle = checkout.mount(container);
  }

  function isSame(): boolean {
    return (latest["embedUrl"] ?? undefined) === session;
  }

  function change(checkout: CheckoutHandle): void {
    const patch: Record<string, unknown> = {};
    for (const [name, unset] of Object.entries(changeable)) {
      const now = JSON.stringify(latest[name] ?? undefined);
      if (now !== told[name]) patch[name] = latest[name] ?? unset;
      told[name] = now;
    }
    for (const name of Object.keys(latest)) {
      if (told[name] || !name.startsWith("on") || !isFunction(latest[name])) continue;
      told[name] = true;
      checkout.on(name.slice(2).toLowerCase() as "ready", call(name)); // `on` refuses a name that no event has
    }
    if (Object.keys(patch).length > 0) {
      checkout.update(patch).catch((error: unknown) => {
        if (checkout.state !== "destroyed") console.error(error);
      });
    }
  }

  /** The latest function of that name, whoever has passed it since. */
  function call(name: string): (argument: unknown) => unknown {
    return (argument) => {
      const found = latest[name];
      return isFunction(found) ? found(argument) : undefined;
    };
  }

  return {
    get handle() {
      return handle;
    },
    update(options) {
      clearTimeout(timer);
      latest = options;
      if (handle && isSame()) change(handle);
      // A payment is under way: another session would be paid as well. It gets its turn when this one was refused.
      else if (!handle || !/submitting|challenge/.test(handle.state)) start();
    },
    stop() {
      clearTimeout(timer);
      timer = setTimeout(end);
    },
  };
}

function isFunction(value: unknown): value is (argument: unknown) => unknown {
  return typeof value === "function";
}
