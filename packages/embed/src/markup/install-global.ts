/**
 * Installs the only global of the script-tag build: `Oriel`, which is frozen and neither writable nor configurable. It
 * starts automatically. For another name or time, use `@oriel/embed` or `@oriel/embed/loader`. It mounts markup that is
 * added to the page later and destroys the checkouts of removed elements.
 *
 * The only global it reads is the queue, `(window.Oriel ||= []).push(["mount", "#checkout", options])`, which must be
 * an own property and an array, unlike `<form id=Oriel>`. If the script is loaded twice, the second one only looks for
 * new markup.
 *
 * Markup can only use the script's own origin. A module, an inline script and a bundle can't determine it, so the page's
 * code can set it once with `Oriel.load(origin)`, as the loader does. Markup can't call functions, so it can't choose its
 * own origin.
 */
import { CheckoutError } from "../api/checkout-error.ts";
import { createCheckout, mountCheckout } from "../checkout/create-checkout.ts";
import { parseReturn, redirectToCheckout } from "../checkout/redirect.ts";
import { hasParsed, onDocument } from "../page/host-document.ts";
import { tryTo } from "../page/try-to.ts";
import { defineCheckoutElement } from "./checkout-element.ts";
import { findGlobal, globalMark, ownOriel, type OrielGlobal } from "./find-global.ts";
import { followMarkup, mountMarkup } from "./mount-markup.ts";

/** The maximum number of queued commands. */
const maxQueued = 100;

/**
 * @param page where to install the global: `window`
 * @param scriptOrigin the origin that markup can use. If null, markup is refused until the page's code sets one. See
 *   script.ts.
 */
export const installGlobal = (page: object, scriptOrigin: string | null): void => {
  const present = findGlobal(page);
  if (present) return present.load();

  const queued = ownOriel(page);
  let origin = scriptOrigin;
  const load = (named?: string) => {
    if (typeof named === "string") origin ??= new URL(named).origin;
    if (origin !== null) defineCheckoutElement(() => origin);
    mountMarkup(origin);
  };
  const Oriel: OrielGlobal = Object.freeze({
    [globalMark]: true,
    createCheckout,
    mountCheckout,
    redirectToCheckout,
    parseReturn,
    CheckoutError,
    get origin() {
      return origin;
    },
    load,
    reload: load,
    push: (...commands: unknown[]) => whenParsed(() => commands.forEach(run)),
  });
  // Without a prototype, because a polluted Object.prototype would change the descriptor or make it invalid. The queue's
  // property keeps the attributes that the descriptor doesn't name.
  Object.defineProperty(page, "Oriel", {
    __proto__: null,
    value: Oriel,
    enumerable: true,
    writable: false,
    configurable: false,
  } as PropertyDescriptor);
  if (Array.isArray(queued)) Oriel.push(...queued.slice(0, maxQueued));
  // If the origin is unknown, the code that loaded this module is about to set it.
  whenParsed(() => {
    if (origin === null) setTimeout(load);
    else load();
    followMarkup(() => origin);
  });
};

const run = (command: unknown): void => {
  tryTo(() => {
    const [name, target, options] = Array.isArray(command) ? command : [];
    if (name !== "mount") throw new TypeError('Oriel: push takes ["mount", target, options].');
    mountCheckout(target, options);
  });
};

const whenParsed = (job: () => void): void => {
  if (hasParsed()) job();
  else onDocument("DOMContentLoaded", job);
};
