/**
 * Shows the iframe over the whole page for the bank's page: tells the host page to enlarge it, and lets our page fill
 * it meanwhile. It stays the same document throughout; nothing is reloaded.
 *
 * While the iframe's height follows its content, it doesn't scroll. An enlarged iframe is as high as the window, so it
 * does scroll, and its height isn't reported: the host page keeps the form's height in its own layout. The styles are
 * in bank.css.
 */
import type { HostPage } from "../host/host-page.ts";
import type { Page } from "../page/page.ts";

export interface BankOverlay {
  open(): void;
  close(): void;
}

/** @param shrunk called when the iframe follows its content again */
export function createBankOverlay(page: Page, host: Pick<HostPage, "emit">, shrunk: () => void): BankOverlay {
  const { document } = page;
  const root = document.documentElement;
  return {
    open() {
      root.classList.add("grown");
      host.emit("grow", {});
    },
    close() {
      if (!isGrown(document)) return;
      root.classList.remove("grown");
      // A page that can no longer scroll must not stay scrolled.
      document.defaultView?.scrollTo(0, 0);
      host.emit("shrink", {});
      shrunk();
    },
  };
}

/** Whether the iframe is enlarged, so that its height is the window's. */
export function isGrown(document: Document): boolean {
  return document.documentElement.classList.contains("grown");
}
