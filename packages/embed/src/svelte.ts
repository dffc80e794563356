/**
 * `@oriel/embed/svelte`: the checkout as an action (Svelte 3 to 5) and as an attachment (5.29 and later). Nothing here
 * imports Svelte. Only another session makes another frame; see keep-checkout.ts.
 */
import type { CheckoutHandle } from "./index.ts";
import { type CheckoutKeeper, keepCheckout, type KeptOptions } from "./checkout/keep-checkout.ts";

/**
 * Every option of `mountCheckout`, and `onHandle`, which is given the handle when it is another one; null: there is
 * none now.
 */
export interface CheckoutActionOptions extends KeptOptions {
  onHandle?: ((checkout: CheckoutHandle | null) => void) | undefined;
}

/**
 * @example <div use:checkout={{ embedUrl, onComplete: ({ sessionId }) => (paid = sessionId) }}></div>
 * @throws TypeError for an option that is unknown or wrong.
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
    keeper.update(rest);
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
 * @example <div {@attach attachCheckout({ embedUrl, locale })}></div>
 */
export const attachCheckout =
  (options: CheckoutActionOptions) =>
  (node: Element): (() => void) =>
    checkout(node, options).destroy;

/** An attachment runs anew on the same node when a value that it read changes: it finds what the last run left. */
const kept = /* @__PURE__ */ new WeakMap<Element, Kept>();

interface Kept {
  keeper: CheckoutKeeper;
  /** As it was told last. */
  handle: CheckoutHandle | null;
  /** There is another handle: the latest run tells of it. */
  restarted?: () => void;
}
