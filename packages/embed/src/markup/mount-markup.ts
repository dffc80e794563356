/**
 * Finds `data-oriel-checkout` elements and mounts what they name, and `data-oriel-open` buttons and links and opens
 * what they name in a dialog.
 *
 * ```html
 * <div data-oriel-checkout data-oriel-embed-url="EMBED_URL" data-oriel-on-complete="onPaid"><a href="EMBED_URL">Pay on our secure page</a></div>
 * <button data-oriel-open data-oriel-embed-url="EMBED_URL" data-oriel-on-complete="onPaid">Pay</button>
 * ```
 * What stands inside a checkout's element is the fallback: it is there without the script, gone while the frame lives,
 * and back when the frame cannot run. Where there is nothing, the link that every checkout has takes its place.
 *
 * What it believes of attributes: see checkout-attributes.ts. A callback is only ever a function that the page itself
 * put on `window` (an own property, so no element's id will do). One bad element is reported on the console, keeps its
 * fallback and harms no other.
 */
import { readAttributes } from "./checkout-attributes.ts";
import { queryAll, rootElement } from "../host-document.ts";
import type { AnyCheckoutEvent } from "../index.ts";
import { type CheckoutKeeper, keepCheckout } from "../checkout/keep-checkout.ts";
import { tryTo } from "./try-to.ts";

/** The checkout of each element and button already seen, so that looking again changes only what is new or another. */
const kept = /* @__PURE__ */ new WeakMap<Element, CheckoutKeeper>();
/** What was in the document when it was last looked at, also what was refused. */
const present = /* @__PURE__ */ new Set<Element>();

const prefix = "data-oriel-";
const checkoutMark = `${prefix}checkout`;
const buttonMark = `${prefix}open`;

/**
 * Ends the checkouts whose element has left the document, too.
 *
 * @param scriptOrigin The origin that markup may name; null: markup is refused. See script.ts.
 * @param onlyNew Leaves alone what was there when this was last called, whatever its attributes say now.
 */
export function mountMarkup(scriptOrigin: string | null, onlyNew = false): void {
  for (const element of present) {
    const keeper = kept.get(element);
    // A button is not where the customer pays. A page may well have another in its place by then.
    const isPaying = element.hasAttribute(buttonMark) && /submitting|challenge/.test(keeper?.handle?.state ?? "");
    if (element.isConnected || isPaying) continue;
    present.delete(element);
    keeper?.stop();
  }
  for (const element of queryAll(`[${checkoutMark}],[${buttonMark}]`)) {
    if (onlyNew && present.has(element)) continue;
    present.add(element);
    tryTo(() => {
      if (!element.hasAttribute(buttonMark)) {
        (kept.get(element) ?? keepInside(element)).update(readAttributes(element, prefix, scriptOrigin));
      } else if (!kept.has(element)) keepBehind(element, scriptOrigin);
    });
  }
}

/** Keeps up with a page that scripts change, as Turbo and htmx do. */
export function followMarkup(scriptOrigin: () => string | null): void {
  new MutationObserver(() => mountMarkup(scriptOrigin(), true)).observe(document, { childList: true, subtree: true });
}

/** Opens a checkout when the button is pressed. */
function keepBehind(button: Element, scriptOrigin: string | null): void {
  const keeper = keepCheckout(rootElement(), (event) => callBack(button, event));
  kept.set(button, keeper);
  button.setAttribute("aria-haspopup", "dialog");
  button.addEventListener("click", (event) =>
    tryTo(() => {
      const isDisabled = button.getAttribute("aria-disabled") === "true";
      if (!isDisabled) open(button, keeper, scriptOrigin);
      event.preventDefault(); // A link leads to the full page where its checkout was refused.
    }),
  );
}

/** Keeps a checkout in the element in the place of what stands there, which comes back when the frame cannot run. */
function keepInside(element: Element): CheckoutKeeper {
  // A page cache copies the element with the box and the iframe that stood in it, and nobody speaks to a copy.
  element.querySelector('iframe[name^="{"]')?.parentElement?.remove();
  const fallback = Array.from(element.childNodes);
  const hasFallback = element.childElementCount > 0;
  const keeper = keepCheckout(element, (event) => {
    if (event.type === "loadstart") fallback.forEach((node) => node.remove());
    if (event.type === "error" && hasFallback && !element.querySelector("iframe")) element.replaceChildren(...fallback);
    callBack(element, event);
  });
  kept.set(element, keeper);
  return keeper;
}

function open(button: Element, keeper: CheckoutKeeper, scriptOrigin: string | null): void {
  // Safari does not by itself, and the dialog gives the keyboard back to what had it. (An element that is not HTML's
  // has the method, too.)
  (button as HTMLElement).focus();
  keeper.update({ ...readAttributes(button, prefix, scriptOrigin), presentation: "modal" });
  keeper.handle?.mount(rootElement()); // again, where it was closed
}

/** The function is looked up when the event comes, so it may be defined after this script. */
function callBack(element: Element, { type, detail }: AnyCheckoutEvent): void {
  const attribute = `${prefix}on-${type}`;
  const name = element.getAttribute(attribute);
  const found: unknown =
    name && /^on[A-Z]/.test(name) && Object.hasOwn(window, name) ? Reflect.get(window, name) : undefined;
  if (typeof found === "function") Reflect.apply(found, window, [detail]);
  else if (name) console.error(`Oriel: ${attribute}: there is no function "${name}".`);
  // An error that the page hears nowhere is told to its developer: it says what to look at.
  else if (type === "error") console.error(detail);
}
