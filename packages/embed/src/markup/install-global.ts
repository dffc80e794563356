/**
 * Puts the one global of the script-tag build on the page: `Oriel`, frozen, and neither writable nor configurable.
 * There is one, by one name, and it begins by itself: a page that wants another name or another moment imports
 * `@oriel/embed` or uses `@oriel/embed/loader`. From then on it mounts markup that is added to the page, and ends the
 * checkouts of what is removed.
 *
 * It reads no global but the queue, `(window.Oriel ||= []).push(["mount", "#checkout", options])`, and that only as an
 * own property that is an array: `<form id=Oriel>` is neither. Loaded twice, the second looks for new markup and leaves
 * the first in place.
 *
 * The origin that markup may name is the script's own. A module cannot see where it came from; then the page's code may
 * say it, once, with `Oriel.load(origin)`, as the loader does. Markup cannot call a function, so it cannot choose its
 * own origin.
 */
import { defineCheckoutElement } from "./checkout-element.ts";
import { CheckoutError } from "../checkout/checkout-error.ts";
import { createCheckout, mountCheckout } from "../checkout/create-checkout.ts";
import { findGlobal, globalMark, ownOriel, type OrielGlobal } from "./find-global.ts";
import { hasParsed, onDocument } from "../host-document.ts";
import { followMarkup, mountMarkup } from "./mount-markup.ts";
import { parseReturn, redirectToCheckout } from "../checkout/redirect.ts";
import { tryTo } from "./try-to.ts";

/** Commands that are taken from the queue at most. */
const maxQueued = 100;

/**
 * @param page Where the global goes: `window`.
 * @param scriptOrigin The origin that markup may name; null: markup is refused until the page's code names one. See
 *   script.ts.
 */
export function installGlobal(page: object, scriptOrigin: string | null): void {
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
  // On no prototype: what somebody put on Object.prototype would make the description another, or none.
  Object.defineProperty(page, "Oriel", { __proto__: null, value: Oriel, enumerable: true } as PropertyDescriptor);
  if (Array.isArray(queued)) Oriel.push(...queued.slice(0, maxQueued));
  // Where the origin is unknown, whoever loaded this module is about to say it.
  whenParsed(() => {
    if (origin === null) setTimeout(load);
    else load();
    followMarkup(() => origin);
  });
}

function run(command: unknown): void {
  tryTo(() => {
    const [name, target, options] = Array.isArray(command) ? command : [];
    if (name !== "mount") throw new TypeError('Oriel: push takes ["mount", target, options].');
    mountCheckout(target, options);
  });
}

function whenParsed(job: () => void): void {
  if (hasParsed()) job();
  else onDocument("DOMContentLoaded", job);
}
