/**
 * `@oriel/embed/svelte`: the checkout as an action (Svelte 3 to 5) and as an attachment (5.29 and later). It doesn't
 * import Svelte. Only a new session creates a new iframe; see keep-checkout.ts.
 */
import type { CheckoutHandle } from "./index.ts";
import { type CheckoutKeeper, keepCheckout, type KeptOptions } from "./checkout/keep-checkout.ts";
import { tryTo } from "./page/try-to.ts";

/**
 * Every option of `mountCheckout`, and `onHandle`, which is called with the handle when it changes, or with null when
 * there is none.
 */
export interface CheckoutActionOptions extends KeptOptions {
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
  let entry = kept.get(node);
  if (!entry) {
    const made: Kept = { keeper: keepCheckout(node, undefined, () => made.restarted?.()), handle: null };
    kept.set(node, (entry = made));
  }
  const { keeper } = entry;
  const told = entry;
  let onHandle: CheckoutActionOptions["onHandle"];

  const tell = (handle: CheckoutHandle | null): void => {
    if (told.handle === handle) return;
    told.handle = handle;
    onHandle?.(handle);
  };
  const update = (next: CheckoutActionOptions): void => {
    const { onHandle: given, ...rest } = next;
    onHandle = given;
    tryTo(() => keeper.update(rest));
    tell(keeper.handle);
  };
  told.restarted = () => tell(keeper.handle);
  update(options);
  return {
    update,
    destroy() {
      keeper.stop();
      tell(null);
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
const kept = /* @__PURE__ */ new WeakMap<Element, Kept>();

interface Kept {
  keeper: CheckoutKeeper;
  /** The handle that `onHandle` last received. */
  handle: CheckoutHandle | null;
  /** Called when the handle changes. The latest run sets it. */
  restarted?: () => void;
}
