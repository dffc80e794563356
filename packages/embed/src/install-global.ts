/**
 * Puts the one global of the script-tag build on the page: `Oriel`, frozen, and neither writable nor configurable.
 *
 * It reads no global but the queue, `(window.Oriel ||= []).push(["mount", "#checkout", options])`, and that only as an own property
 * that is an array: `<form id=Oriel>` is neither. Loaded twice, the second looks for new markup and leaves the first in place.
 */
import { CheckoutError } from "./checkout-error.ts";
import { createCheckout, mountCheckout } from "./create-checkout.ts";
import { hasParsed, onParsed } from "./host-document.ts";
import { mountMarkup } from "./mount-markup.ts";
import { parseReturn, redirectToCheckout } from "./redirect.ts";

/** Commands that are taken from the queue at most. */
const maxQueued = 100;

/** Marks our own global among whatever else may be called Oriel. The registry's symbol, because two copies of this file must agree. */
const mark = Symbol.for("oriel.embed");

/**
 * @param page Where the global goes: `window`.
 * @param scriptOrigin The origin that markup may name; null: markup is refused. See script.ts.
 */
export function installGlobal(page: object, scriptOrigin: string | null): void {
  const found: unknown = Object.getOwnPropertyDescriptor(page, "Oriel")?.value;
  if (isOriel(found)) return found.load();

  const Oriel = Object.freeze({
    [mark]: true,
    createCheckout,
    mountCheckout,
    redirectToCheckout,
    parseReturn,
    CheckoutError,
    /** Looks for checkouts in the markup that were not there before. */
    load: () => mountMarkup(scriptOrigin),
    /** Runs commands. Before this script had loaded, an array of the same name queued them. */
    push: (...commands: unknown[]) => whenParsed(() => commands.forEach(run)),
  });
  Object.defineProperty(page, "Oriel", { value: Oriel, enumerable: true, writable: false, configurable: false });
  if (Array.isArray(found)) Oriel.push(...found.slice(0, maxQueued));
  whenParsed(Oriel.load);
}

function run(command: unknown): void {
  const [name, target, options] = Array.isArray(command) ? command : [];
  try {
    if (name !== "mount") throw new TypeError('Oriel: the queue knows ["mount", target, options] only.');
    mountCheckout(target, options);
  } catch (error) {
    console.error(error);
  }
}

function whenParsed(job: () => void): void {
  if (hasParsed()) job();
  else onParsed(job);
}

function isOriel(value: unknown): value is { load(): void } {
  return typeof value === "object" && value !== null && Object.hasOwn(value, mark);
}
