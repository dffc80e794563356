/**
 * The frame over the whole page, for the bank's page: tells the host page to grow it, and lets our page fill it
 * meanwhile. The same document before, while and after; nothing is loaded anew.
 *
 * While the frame follows its content it does not scroll. A grown one is as high as the window, so then it does, and
 * its height is not told: the host page keeps the form's height in its own page. How it looks meanwhile stands in
 * after-pay.css.
 */
import type { HostPage } from "../host/host-page.ts";
import type { Page } from "../page/page.ts";

export interface BankOverlay {
  open(): void;
  close(): void;
}

/** `shrunk` is called when the frame follows its content again. */
export function createBankOverlay(page: Page, host: Pick<HostPage, "tell">, shrunk: () => void): BankOverlay {
  const { document } = page;
  const root = document.documentElement;
  return {
    open() {
      root.classList.add("grown");
      host.tell("grow", {});
    },
    close() {
      if (!isGrown(document)) return;
      root.classList.remove("grown");
      // What does not scroll any more must not stay scrolled.
      document.defaultView?.scrollTo(0, 0);
      host.tell("shrink", {});
      shrunk();
    },
  };
}

/** While this holds, the frame's height is the window's. */
export function isGrown(document: Document): boolean {
  return document.documentElement.classList.contains("grown");
}
