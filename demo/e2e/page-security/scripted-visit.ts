/** A merchant's own test: opens the checkout in one of three places, fills in a card and clicks Pay at once. */
import type { Page } from "@playwright/test";
import { cards, type CheckoutForm } from "../checkout.ts";
import { openDialogPage } from "../dialog-page.ts";
import { expectSessionPaid, formIn } from "../hosts/host-checkout.ts";
import { markup, pageAddress, scriptTag } from "../hosts/host-page.ts";
import { openSession } from "../hosts/sessions.ts";

type Open = (page: Page) => Promise<{ form: CheckoutForm; sessionId: string }>;

export const places = {
  async "in the page"(page) {
    const { embedUrl, sessionId } = await openSession();
    await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl) }));
    return { form: formIn(page), sessionId };
  },
  async "in a dialog"(page) {
    const sessionId = await openDialogPage(page);
    return { form: formIn(page, "dialog[open]"), sessionId };
  },
  async "on the full page"(page) {
    const { embedUrl, sessionId } = await openSession();
    await page.goto(embedUrl);
    return { form: page, sessionId };
  },
} satisfies Record<string, Open>;

/** Never confirms, so that the session stays unpaid if the form asks. */
export async function payByScript(page: Page, open: Open): Promise<void> {
  const { form, sessionId } = await open(page);
  await form.getByTestId("oriel-number").fill(cards.approved.number);
  await form.getByTestId("oriel-expiry").fill(cards.approved.expiry);
  await form.getByTestId("oriel-cvc").fill(cards.approved.cvc);
  await form.getByTestId("oriel-pay").click();
  await expectSessionPaid(sessionId);
}
