/** What the host pages' apps leave on `window` for the tests, and what a test left in the page for them. */
import type { AnyCheckoutEvent, CheckoutHandle } from "@oriel/embed";

declare global {
  interface Window {
    /** Every event the app was told, oldest first. */
    heard: { type: string; detail: unknown }[];
    hear: typeof hear;
    /** The last checkout that the app mounted by hand. */
    checkout: CheckoutHandle;
  }
}

/** The options that the test wrote into the page. */
export function readPageOptions<T>(): T {
  return JSON.parse(document.querySelector("#options")?.textContent ?? "{}") as T; // the test that wrote it calls this app
}

/** The element that the app may fill. */
export function appContainer(): HTMLElement {
  const container = document.querySelector<HTMLElement>("#app");
  if (!container) throw new Error("The page has no #app");
  return container;
}

/**
 * Writes an event down for the test. An error is written as a plain record: what a test reads from a page loses the
 * fields of errors.
 */
export function hear({ type, detail }: AnyCheckoutEvent | { type: string; detail: unknown }): void {
  const plain =
    detail instanceof Error ? { ...Object.fromEntries(Object.entries(detail)), message: detail.message } : detail;
  (window.heard ??= []).push({ type, detail: plain });
}
