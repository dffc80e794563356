/** A merchant's own test: opens the checkout in one of three places, fills in a card and clicks Pay at once. */
import type { Page } from "@playwright/test";
import { cards, type Till } from "../checkout.ts";
import { openDialogPage } from "../dialog-page.ts";
import { expectSessionPaid, tillIn } from "../hosts/host-checkout.ts";
import { markup, pageAddress, scriptTag } from "../hosts/host-page.ts";
import { openSession } from "../hosts/sessions.ts";

type Open = (page: Page) => Promise<{ till: Till; sessionId: string }>;

export const places = {
  async "in the page"(page) {
    const { embedUrl, sessionId } = await openSession();
    await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl) }));
    return { till: tillIn(page), sessionId };
  },
  async "in a dialog"(page) {
    const sessionId = await openDialogPage(page);
    return { till: tillIn(page, "dialog[open]"), sessionId };
  },
  async "on the full page"(page) {
    const { embedUrl, sessionId } = await openSession();
    await page.goto(embedUrl);
    return { till: page, sessionId };
  },
} satisfies Record<string, Open>;

/** Never confirms, so that the session stays unpaid if the form asks. */
export async function payByScript(page: Page, open: Open): Promise<void> {
  const { till, sessionId } = await open(page);
  await till.getByTestId("oriel-number").fill(cards.approved.number);
  await till.getByTestId("oriel-expiry").fill(cards.approved.expiry);
  await till.getByTestId("oriel-cvc").fill(cards.approved.cvc);
  await till.getByTestId("oriel-pay").click();
  await expectSessionPaid(sessionId);
}
