/**
 * Checkouts with simulated iframes in a container of an empty page. Those still open after a test are destroyed.
 */
import { afterEach, beforeEach, vi } from "vitest";
import type { CheckoutHandle } from "../src/api/checkout-handle.ts";
import type { CheckoutOptions } from "../src/api/checkout-options.ts";
import { mountCheckout } from "../src/checkout/create-checkout.ts";
import { pageWithContainer, task } from "./empty-page.ts";
import { embedUrl, play, type Play, type SimulatedFrame } from "./simulated-frame.ts";

const opened: CheckoutHandle[] = [];

/** Call it once, before the first test. @returns a function that returns the container */
export function playCheckouts(): () => HTMLElement {
  let container: HTMLElement;
  beforeEach(() => {
    container = pageWithContainer();
  });
  afterEach(async () => {
    for (const checkout of opened.splice(0)) checkout.destroy();
    // An iframe is removed a task after its checkout, and a dialog after its iframe.
    await task();
    await task();
  });
  return () => container;
}

export function mount(options: Partial<CheckoutOptions> = {}, target: string | Element = "#checkout"): CheckoutHandle {
  const checkout = mountCheckout(target, { ...(options.fetchEmbedUrl ? {} : { embedUrl }), ...options });
  opened.push(checkout);
  return checkout;
}

/** Mounts a checkout in a page whose script broke `append`: it inserts the iframe, and then throws. */
export async function mountWithBrokenAppend(options: Partial<CheckoutOptions>): Promise<CheckoutHandle> {
  const append = vi.spyOn(Element.prototype, "append").mockImplementation(function (this: Element, ...nodes) {
    for (const node of nodes) this.appendChild(node as Node);
    if (this.id === "checkout") throw new TypeError("nodes is not iterable");
  });
  const checkout = mount(options);
  append.mockRestore();
  await task();
  return checkout;
}

/** The checkout's iframe. @throws Error if there is none */
export function frameElement(): HTMLIFrameElement {
  const element = document.querySelector("iframe");
  if (!element) throw new Error("There is no iframe.");
  return element;
}

export async function mountAndPlay(
  options: Partial<CheckoutOptions> = {},
  how: Play = {},
): Promise<{ checkout: CheckoutHandle; element: HTMLIFrameElement; frame: SimulatedFrame }> {
  const checkout = mount(options);
  const element = frameElement();
  return { checkout, element, frame: await play(element, how) };
}
