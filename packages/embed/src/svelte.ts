/**
 * `@oriel/embed/svelte`: the checkout as an action (Svelte 3 to 5) and as an attachment (5.29 and later). It doesn't
 * import Svelte. Only a new session creates a new iframe; see sync-checkout.ts.
 */
import { type CheckoutSync, syncCheckout, type ComponentOptions } from "./checkout/sync-checkout.ts";
import type { CheckoutHandle } from "./index.ts";
import { tryTo } from "./page/try-to.ts";

/**
 * Every option of `mountCheckout`, and `onHandle`, which is called with the handle when it changes, or with null when
 * there is none.
 */
export interface CheckoutActionOptions extends ComponentOptions {
  onHandle?: ((checkout: CheckoutHandle | null) => void) | undefined;
}

/**
 * The checkout as an action. Inline callbacks and options are safe, and invalid options are logged.
 *
 * @example <div use:checkout={{ embedUrl, onComplete: ({ sessionId }) => (paid = sessionId) }}></div>
 */
export function checkout(
  node: Element,
  options: CheckoutActionOptions,
): { update(options: CheckoutActionOptions): void; destroy(): void } {
  let known = entries.get(node);
  if (!known) {
    const made: Entry = { sync: syncCheckout(node, undefined, () => made.restarted?.()), handle: null };
    entries.set(node, (known = made));
  }
  const entry = known;
  const { sync } = entry;
  let onHandle: CheckoutActionOptions["onHandle"];

  const setHandle = (handle: CheckoutHandle | null): void => {
    if (entry.handle === handle) return;
    entry.handle = handle;
    onHandle?.(handle);
  };
  const update = (next: CheckoutActionOptions): void => {
    const { onHandle: given, ...rest } = next;
    onHandle = given;
    tryTo(() => sync.update(rest));
    setHandle(sync.handle);
  };
  entry.restarted = () => setHandle(sync.handle);
  update(options);
  return {
    update,
    destroy() {
      sync.stop();
      setHandle(null);
    },
  };
}

/**
 * The checkout as an attachment.
 *
 * @example <div {@attach attachCheckout({ embedUrl, locale })}></div>
 */
export const attachCheckout =
  (options: CheckoutActionOptions) =>
  (node: Element): (() => void) =>
    checkout(node, options).destroy;

/** The checkouts by node, because an attachment runs again on the same node when a value that it reads changes. */
const entries = /* @__PURE__ */ new WeakMap<Element, Entry>();

interface Entry {
  sync: CheckoutSync;
  /** The handle that `onHandle` last received. */
  handle: CheckoutHandle | null;
  /** Called when the handle changes. The latest run sets it. */
  restarted?: () => void;
}
