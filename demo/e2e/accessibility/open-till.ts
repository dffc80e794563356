/** The till as its customers meet it: a page of its own, or a frame in a shop's page that is in order itself. */
import type { Page } from "@playwright/test";
import { addresses } from "../addresses.ts";
import type { Till } from "../checkout.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { tillIn } from "../hosts/host-till.ts";
import { openSession, type SessionFields } from "../hosts/sessions.ts";

export const layouts = ["full page", "inline"] as const;
export type Layout = (typeof layouts)[number];

export interface OpenTill {
  page: Page;
  till: Till;
  layout: Layout;
  sessionId: string;
}

export interface TillOptions {
  session?: SessionFields;
  /** What becomes of the session between its making and its opening. */
  before?: (sessionId: string) => Promise<unknown>;
  /** Without the secret in its address. The loader refuses such a one, so in a page of its own only. */
  withoutSecret?: boolean;
}

/** Does not wait for anything in the till. */
export async function openTill(page: Page, layout: Layout, options: TillOptions = {}): Promise<OpenTill> {
  const { sessionId, embedUrl } = await openSession({
    description: "One cup, thrown by hand",
    line_items: [{ name: "Cup", amount: 2450, quantity: 2 }],
    ...options.session,
  });
  await options.before?.(sessionId);
  const address = options.withoutSecret ? embedUrl.replace(/#.*/, "") : embedUrl;
  if (layout === "full page") {
    await page.goto(address);
    return { page, till: page, layout, sessionId };
  }
  await openShop(page, address);
  return { page, till: tillIn(page), layout, sessionId };
}

/** A shop's page, with something to reach by the keyboard before the frame and after it. */
async function openShop(page: Page, embedUrl: string): Promise<void> {
  const body = `<header aria-label="Shop"><a id="before" href="${addresses.hosts}/#catalogue">Catalogue</a></header>
<main aria-label="Cart"><h1>Your cart</h1><div id="till"></div><p><button id="after" type="button">Leave a note</button></p></main>`;
  await page.goto(await pageAddress(appPage("esm", {}, { body })));
  await page.evaluate((url) => {
    // A fallback link in the frame's place would be the host page's; here the frame itself is looked at.
    window.checkout = window.embed.createCheckout({ embedUrl: url, fallback: "error" });
    window.checkout.on("*", window.hear);
    window.checkout.mount("#till");
  }, embedUrl);
}
