/**
 * Mounts checkouts in `data-oriel-checkout` elements, and opens them in a dialog for `data-oriel-open` buttons and
 * links.
 *
 * ```html
 * <div data-oriel-checkout data-oriel-embed-url="EMBED_URL" data-oriel-on-complete="onPaid"><a href="EMBED_URL">Pay on our secure page</a></div>
 * <button data-oriel-open data-oriel-embed-url="EMBED_URL" data-oriel-on-complete="onPaid">Pay</button>
 * ```
 * An element's content is the fallback, which is shown without the script, removed while the iframe runs, and restored
 * if the iframe can't run. Without content, the checkout's link to the full page is shown instead.
 *
 * Pages that morph their markup, as with Turbo, Livewire or LiveView, replace the iframe with the fallback again, because
 * the server doesn't know the iframe. Then the session is mounted again. During a payment, the new iframe follows it.
 *
 * For what attributes can do, see checkout-attributes.ts. A callback must be the page's own function on `window` (an
 * own property, unlike elements with an ID). An invalid element is reported in the console, keeps its fallback and
 * doesn't affect others.
 */
import type { AnyCheckoutEvent } from "../api/checkout-events.ts";
import { type CheckoutSync, syncCheckout } from "../checkout/sync-checkout.ts";
import { queryAll, removeNode, rootElement } from "../page/host-document.ts";
import { tryTo } from "../page/try-to.ts";
import { readAttributes } from "./checkout-attributes.ts";

/** The checkouts of known elements and buttons, so that later calls only apply changes. */
const syncs = /* @__PURE__ */ new WeakMap<Element, CheckoutSync>();
/** The elements found by the last call, including refused ones, and how often the page has removed their form. */
const present = /* @__PURE__ */ new Map<Element, number>();
/** The content of each element that has a fallback. */
const fallbacks = /* @__PURE__ */ new WeakMap<Element, ChildNode[]>();

/** How often to mount a form that the page removes, so that two scripts don't fight forever. */
const mostLosses = 5;

const prefix = "data-oriel-";
const checkoutMark = `${prefix}checkout`;
const buttonMark = `${prefix}open`;

/**
 * Mounts all markup, and destroys the checkouts of elements that were removed from the document.
 *
 * @param scriptOrigin the origin that markup can use. If null, markup is refused. See script.ts.
 * @param onlyNew ignores elements that the last call found, even if their attributes changed
 */
export const mountMarkup = (scriptOrigin: string | null, onlyNew = false): void => {
  for (const [element] of present) {
    const sync = syncs.get(element);
    // The customer pays in the dialog, not in the button, and the page may have replaced the button meanwhile.
    const isPaying = element.hasAttribute(buttonMark) && sync?.handle?.isPaymentPending;
    if (element.isConnected || isPaying) continue;
    present.delete(element);
    sync?.stop();
  }
  for (const element of queryAll(`[${checkoutMark}],[${buttonMark}]`)) {
    const losses = present.get(element);
    if (losses !== undefined) {
      restoreForm(element, losses, scriptOrigin);
      if (onlyNew) continue;
    }
    present.set(element, 0);
    tryTo(() => {
      if (!element.hasAttribute(buttonMark)) {
        (syncs.get(element) ?? mountInside(element)).update(readAttributes(element, prefix, scriptOrigin));
      } else if (!syncs.has(element)) bindButton(element, scriptOrigin);
    });
  }
};

/** Follows changes to the page's markup, for example by Turbo and htmx. */
export const followMarkup = (scriptOrigin: () => string | null): void => {
  new MutationObserver(() => mountMarkup(scriptOrigin(), true)).observe(document, { childList: true, subtree: true });
};

/** Opens a checkout when the button is clicked. */
const bindButton = (button: Element, scriptOrigin: string | null): void => {
  const sync = syncCheckout(rootElement(), (event) => callBack(button, event));
  syncs.set(button, sync);
  button.setAttribute("aria-haspopup", "dialog");
  button.addEventListener("click", (event) =>
    tryTo(() => {
      const isDisabled = button.getAttribute("aria-disabled") === "true";
      if (!isDisabled) open(button, sync, scriptOrigin);
      event.preventDefault(); // Not reached if the checkout was refused, so a link then goes to the full page.
    }),
  );
};

/** Keeps a checkout in the element instead of its content, which is restored if the iframe can't run. */
const mountInside = (element: Element): CheckoutSync => {
  // A page cache copies the element with its box and iframe, but the copied iframe isn't connected.
  removeNode(boxIn(element));
  hideFallback(element);
  const sync = syncCheckout(element, (event) => {
    if (event.type === "loadstart") hideFallback(element);
    const fallback = fallbacks.get(element);
    if (event.type === "error" && fallback && !boxIn(element)) element.replaceChildren(...fallback);
    callBack(element, event);
  });
  syncs.set(element, sync);
  return sync;
};

/** Our box in the element, if it contains the iframe. */
const boxIn = (element: Element): Element | null | undefined =>
  element.querySelector('iframe[name^="{"]')?.parentElement;

/** Mounts the element's session again if the page removed a form that the customer may be using. */
const restoreForm = (element: Element, losses: number, scriptOrigin: string | null): void => {
  const sync = syncs.get(element);
  const handle = sync?.handle;
  if (boxIn(element)) {
    // The page may have added the fallback again, next to the form. It may also have added something else.
    const isFallback = (node: ChildNode) => fallbacks.get(element)?.some((known) => known.isEqualNode(node));
    for (const node of [...element.childNodes].filter(isFallback)) removeNode(node);
  } else if (
    losses < mostLosses &&
    !element.hasAttribute(buttonMark) &&
    handle &&
    (handle.isPaymentPending || !hasEnded.test(handle.state))
  ) {
    present.set(element, losses + 1);
    // The page may have brought another session as well.
    tryTo(() => sync.update(readAttributes(element, prefix, scriptOrigin)));
    sync.handle?.mount(element);
  }
};

const hasEnded = /error|complete|idle/;

/** Remembers the element's content, and removes it while the iframe runs. The page may have added it again. */
const hideFallback = (element: Element): void => {
  const box = boxIn(element);
  const content = [...element.childNodes].filter((node) => node !== box);
  if (content.some(({ nodeType }) => nodeType === 1)) fallbacks.set(element, content);
  if (box) content.forEach((node) => removeNode(node));
};

const open = (button: Element, sync: CheckoutSync, scriptOrigin: string | null): void => {
  // Safari doesn't focus clicked buttons, but the dialog returns the focus to the element that had it. (Non-HTML
  // elements also have this method.)
  (button as HTMLElement).focus();
  sync.update({ ...readAttributes(button, prefix, scriptOrigin), presentation: "modal" });
  sync.handle?.mount(rootElement()); // reopens a closed dialog
};

/** Looks the function up when the event occurs, so the page can define it after this script. */
const callBack = (element: Element, { type, detail }: AnyCheckoutEvent): void => {
  const attribute = `${prefix}on-${type}`;
  const name = element.getAttribute(attribute);
  const found: unknown =
    name && /^on[A-Z]/.test(name) && Object.hasOwn(window, name) ? Reflect.get(window, name) : undefined;
  if (typeof found === "function") Reflect.apply(found, window, [detail]);
  else if (name) console.error(`Oriel: ${attribute}: unknown function "${name}".`);
  // Log errors that the page doesn't listen to.
  else if (type === "error") console.error(detail);
};
