/**
 * Opens the checkout as customers see it: on the full page, or in an iframe of a shop's page that has no accessibility
 * problems itself.
 */
import type { Page } from "@playwright/test";
import type { CheckoutForm } from "../checkout.ts";
import { formIn } from "../hosts/host-checkout.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { openSession, type SessionFields } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";

export const layouts = ["full page", "inline"] as const;
export type Layout = (typeof layouts)[number];

export interface OpenCheckoutPage {
  page: Page;
  form: CheckoutForm;
  layout: Layout;
  sessionId: string;
}

export interface FormOptions {
  session?: SessionFields;
  /** Runs before the session is opened, for example to change it. */
  before?: (sessionId: string) => Promise<unknown>;
  /** Removes the secret from the URL. Only for the full page, because the loader refuses such a URL. */
  withoutSecret?: boolean;
}

/** Opens the checkout without waiting for the form. */
export async function openCheckoutPage(
  page: Page,
  layout: Layout,
  options: FormOptions = {},
): Promise<OpenCheckoutPage> {
  const { sessionId, embedUrl } = await openSession({
    description: "One cup, thrown by hand",
    line_items: [{ name: "Cup", amount: 2450, quantity: 2 }],
    ...options.session,
  });
  await options.before?.(sessionId);
  const address = options.withoutSecret ? embedUrl.replace(/#.*/, "") : embedUrl;
  if (layout === "full page") {
    await page.goto(address);
    return { page, form: page, layout, sessionId };
  }
  await openShop(page, address);
  return { page, form: formIn(page), layout, sessionId };
}

/** A shop's page with focusable elements before and after the iframe. */
async function openShop(page: Page, embedUrl: string): Promise<void> {
  const body = `<header aria-label="Shop"><a id="before" href="${addresses.hosts}/#catalogue">Catalogue</a></header>
<main aria-label="Cart"><h1>Your cart</h1><div id="checkout"></div><p><button id="after" type="button">Leave a note</button></p></main>`;
  await page.goto(await pageAddress(appPage("esm", {}, { body })));
  await page.evaluate((url) => {
    // A fallback link would belong to the host page, and this test is about the iframe.
    window.checkout = window.embed.createCheckout({ embedUrl: url, fallback: "error" });
    window.checkout.on("*", window.receive);
    window.checkout.mount("#checkout");
  }, embedUrl);
}
