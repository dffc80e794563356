/** The script's one global, and how it is told from whatever else may be called Oriel, such as a form of that name. */
import type { CheckoutError } from "../checkout/checkout-error.ts";
import type { createCheckout, mountCheckout } from "../checkout/create-checkout.ts";
import type { parseReturn, redirectToCheckout } from "../checkout/redirect.ts";

/** The script's global. */
export interface OrielGlobal {
  readonly createCheckout: typeof createCheckout;
  readonly mountCheckout: typeof mountCheckout;
  readonly redirectToCheckout: typeof redirectToCheckout;
  readonly parseReturn: typeof parseReturn;
  readonly CheckoutError: typeof CheckoutError;
  /** Where the script came from, and so the only origin that markup may name; null: unknown, and markup is refused. */
  readonly origin: string | null;
  /**
   * Looks at the page's markup again: for attributes that have changed, and for new elements at once.
   *
   * @param origin Holds where `origin` is null, and is ignored elsewhere.
   */
  load(origin?: string): void;
  /** The same as `load`, by the name that pages with scripts of other embeds know. */
  reload(origin?: string): void;
  /** Runs commands. Before this script had loaded, an array of the same name queued them. */
  push(...commands: unknown[]): void;
}

/** The registry's symbol, because two copies of this file must agree. */
export const globalMark = /* @__PURE__ */ Symbol.for("oriel.embed");

/**
 * Our global, if it is on the page already.
 *
 * @param page `window`.
 */
export function findGlobal(page: object): OrielGlobal | null {
  const found = ownOriel(page);
  const isOurs = typeof found === "object" && found !== null && Object.hasOwn(found, globalMark);
  return isOurs ? (found as OrielGlobal) : null; // only install-global.ts makes an object with that mark
}

/** What the page itself put under that name; an element of that id is there by inheritance only. */
export function ownOriel(page: object): unknown {
  return Object.getOwnPropertyDescriptor(page, "Oriel")?.value;
}
