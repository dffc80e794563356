/** What the host pages' apps expose on `window` for the tests, and what a test writes into the page for the apps. */
import type { AnyCheckoutEvent, CheckoutHandle } from "@oriel/embed";

declare global {
  interface Window {
    /** Every event that the app received, oldest first. */
    received: { type: string; detail: unknown }[];
    receive: typeof receive;
    /** The last checkout that the app mounted manually. */
    checkout: CheckoutHandle;
  }
}

/** The options that the test wrote into the page. */
export function readPageOptions<T>(): T {
  return JSON.parse(document.querySelector("#options")?.textContent ?? "{}") as T; // written by the test
}

/** The element that the app may fill. */
export function appContainer(): HTMLElement {
  const container = document.querySelector<HTMLElement>("#app");
  if (!container) throw new Error("The page has no #app");
  return container;
}

/**
 * Records an event for the test. Errors are recorded as plain records, because their fields get lost when a test reads
 * them from a page.
 */
export function receive({ type, detail }: AnyCheckoutEvent | { type: string; detail: unknown }): void {
  const plain =
    detail instanceof Error ? { ...Object.fromEntries(Object.entries(detail)), message: detail.message } : detail;
  (window.received ??= []).push({ type, detail: plain });
}
