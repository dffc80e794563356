/**
 * Checkouts in a container of an empty page, their frames played. Those that are still open after a test are destroyed.
 */
import { afterEach, beforeEach } from "vitest";
import type { CheckoutHandle } from "../src/checkout/checkout-handle.ts";
import { mountCheckout } from "../src/checkout/create-checkout.ts";
import type { CheckoutOptions } from "../src/checkout/checkout-options.ts";
import { pageWithContainer, task } from "./empty-page.ts";
import { embedUrl, play, type Play, type PlayedFrame } from "./played-frame.ts";

const opened: CheckoutHandle[] = [];

/** Call it once, before the first test. @returns what gives the container. */
export function playCheckouts(): () => HTMLElement {
  let container: HTMLElement;
  beforeEach(() => {
    container = pageWithContainer();
  });
  afterEach(async () => {
    for (const checkout of opened.splice(0)) checkout.destroy();
    // The frame goes a task after its checkout, and a dialog after its frame.
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

/** The frame of the checkout, which must be there. */
export function frameElement(): HTMLIFrameElement {
  const element = document.querySelector("iframe");
  if (!element) throw new Error("There is no frame.");
  return element;
}

export async function mountAndPlay(
  options: Partial<CheckoutOptions> = {},
  how: Play = {},
): Promise<{ checkout: CheckoutHandle; element: HTMLIFrameElement; frame: PlayedFrame }> {
  const checkout = mount(options);
  const element = frameElement();
  return { checkout, element, frame: await play(element, how) };
}
