/**
 * Finds `data-oriel-checkout` elements and mounts what they name.
 *
 * Attributes are a stranger's words until shown otherwise: the address must be on `scriptOrigin` (see script.ts), and a callback is
 * only ever a function that the page itself put on `window` (an own property, so no element's id will do). One bad element is
 * reported on the console and harms no other.
 */
import { type CheckoutHandle, mountCheckout } from "./create-checkout.ts";
import { readEmbedUrl } from "./embed-url.ts";
import { queryAll } from "./host-document.ts";

/** What stands in each element already seen, so that looking again mounts only what is new. */
const mounted = /* @__PURE__ */ new WeakMap<Element, { embedUrl: string; checkout: CheckoutHandle | null }>();

export function mountMarkup(scriptOrigin: string | null): void {
  for (const element of queryAll("[data-oriel-checkout]")) {
    const embedUrl = element.getAttribute("data-oriel-embed-url") ?? "";
    const before = mounted.get(element);
    if (before?.embedUrl === embedUrl) continue;
    before?.checkout?.destroy();
    let checkout: CheckoutHandle | null = null;
    try {
      checkout = mountElement(element, embedUrl, scriptOrigin);
    } catch (error) {
      console.error(error);
    }
    mounted.set(element, { embedUrl, checkout });
  }
}

function mountElement(element: Element, embedUrl: string, scriptOrigin: string | null): CheckoutHandle {
  if (readEmbedUrl(embedUrl).origin !== scriptOrigin) {
    throw new Error(
      "Oriel: data-oriel-embed-url must have the origin that oriel.js was loaded from. To use another, call Oriel.mountCheckout.",
    );
  }
  return mountCheckout(element, {
    embedUrl,
    onReady: callback(element, "data-oriel-on-ready"),
    onSubmit: callback(element, "data-oriel-on-submit"),
    onDecline: callback(element, "data-oriel-on-decline"),
    onComplete: callback(element, "data-oriel-on-complete"),
    // An error that the page hears nowhere is told to its developer: it says what to look at.
    onError: callback(element, "data-oriel-on-error", (error) => console.error(error)),
  });
}

/** The function is looked up when the event comes, so it may be defined after this script. */
function callback(element: Element, attribute: string, unnamed?: (detail: unknown) => void): (detail: unknown) => void {
  return (detail) => {
    const name = element.getAttribute(attribute);
    if (!name) return unnamed?.(detail);
    const found: unknown = Object.hasOwn(window, name) ? Reflect.get(window, name) : undefined;
    if (typeof found === "function") Reflect.apply(found, window, [detail]);
    else console.error(`Oriel: ${attribute} names "${name}", and no function of that name is on window.`);
  };
}
