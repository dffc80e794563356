/**
 * A customer presses Pay while offline. Everything that paying needs is already loaded, the page says that nothing was
 * sent, and pressing Pay again works once the network is back. Chromium only, because the form does the same in every
 * browser once a request fails (`offline.spec.ts`), and only Chromium notices that the form is covered.
 */
import { expect, test, type BrowserContext, type Page } from "@playwright/test";
import {
  cards,
  clickInFrame,
  expectPaid,
  goToForm,
  pay,
  pressPay,
  typeCard,
  type CheckoutForm,
  type Way,
} from "./checkout.ts";
import { countRequests } from "./count-requests.ts";
import { expectReady, expectSessionPaid, formIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { coverCorner } from "./page-security/attacked-form.ts";

const nothingSent = /Nothing was sent\. Check your connection and try again\./;

for (const way of ["script", "redirect"] as const satisfies readonly Way[]) {
  test(`pressing Pay offline says that nothing was sent, and pressing it again pays, by ${way}`, async ({
    page,
    context,
  }) => {
    const form = await goToForm(page, way);
    await typeCard(form, cards.approved);
    await context.setOffline(true);
    await pressPay(form);
    await expect(form.locator("#notice")).toHaveText(nothingSent);
    await expectReady(form);
    await expect(form.getByTestId("oriel-cvc")).toHaveValue(cards.approved.cvc);
    await context.setOffline(false);
    await pressPay(form);
    await expectPaid(page);
  });
}

test("after pressing Pay, only the service's responses are fetched", async ({ page }) => {
  const { form, sessionId } = await typedForm(page);
  const files = countRequests(page, (request) => new URL(request.url()).pathname.startsWith("/assets/"));
  await pressPay(form);
  await expectSessionPaid(sessionId);
  expect(files()).toBe(0);
});

test("without the code for the bank's pages, nothing is sent, and the page's button reloads it", async ({ page }) => {
  await page.route("**/assets/bank-*.js", (route) => route.abort(), { times: 1 });
  const sent = countRequests(page, (request) => request.url().endsWith("/frame/payments"));
  const { form, sessionId } = await typedForm(page);
  await pressPay(form);
  await expect(form.getByTestId("oriel-result")).toContainText(nothingSent);
  expect(sent()).toBe(0);
  await clickInFrame(form.getByRole("button", { name: "Try again" }));
  await pay(form, cards.approved);
  await expectSessionPaid(sessionId);
});

test("the confirmation works offline, and confirming says that nothing was sent", async ({ page, context }) => {
  const { form } = await typedForm(page);
  await coverCorner(page, form);
  await offlineAfterDrawing(page, context);
  await clickInFrame(form.getByTestId("oriel-pay"));
  await clickInFrame(form.getByTestId("oriel-once-more-pay"));
  await expect(form.locator("#notice")).toHaveText(nothingSent);
});

async function typedForm(page: Page): Promise<{ form: CheckoutForm; sessionId: string }> {
  const { embedUrl, sessionId } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl, locale: "en" })));
  const form = formIn(page);
  await typeCard(form, cards.approved);
  return { form, sessionId };
}

/** Chromium drops clicks into an iframe for half a second after it has moved. */
async function offlineAfterDrawing(page: Page, context: BrowserContext): Promise<void> {
  await page.waitForTimeout(800);
  await context.setOffline(true);
}
