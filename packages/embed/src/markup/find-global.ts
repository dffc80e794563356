/** The script's only global, and how to recognize it, because something else may be named Oriel, such as a form. */
import type { CheckoutError } from "../api/checkout-error.ts";
import type { createCheckout, mountCheckout } from "../checkout/create-checkout.ts";
import type { parseReturn, redirectToCheckout } from "../checkout/redirect.ts";

/** The script's global, `window.Oriel`. */
export interface OrielGlobal {
  readonly createCheckout: typeof createCheckout;
  readonly mountCheckout: typeof mountCheckout;
  readonly redirectToCheckout: typeof redirectToCheckout;
  readonly parseReturn: typeof parseReturn;
  readonly CheckoutError: typeof CheckoutError;
  /** The script's origin, the only one that markup can use. Null if unknown, in which case markup is refused. */
  readonly origin: string | null;
  /**
   * Mounts new elements and applies changed attributes immediately.
   *
   * @param origin sets `origin` if it's null, and is ignored otherwise
   */
  load(origin?: string): void;
  /** Alias of `load`, the name that other embed scripts use. */
  reload(origin?: string): void;
  /** Runs commands. Before the script loads, an array with the same name queues them. */
  push(...commands: unknown[]): void;
}

/** In the global symbol registry, so that two copies of this file have the same symbol. */
export const globalMark = /* @__PURE__ */ Symbol.for("oriel.embed");

/**
 * Returns our global if the page already has it.
 *
 * @param page `window`
 */
export const findGlobal = (page: object): OrielGlobal | null => {
  const found = ownOriel(page);
  const isOurs = typeof found === "object" && found !== null && Object.hasOwn(found, globalMark);
  return isOurs ? (found as OrielGlobal) : null; // only install-global.ts sets this mark
};

/** The page's own property with that name. An element with that ID is only an inherited property. */
export const ownOriel = (page: object): unknown => Object.getOwnPropertyDescriptor(page, "Oriel")?.value;
