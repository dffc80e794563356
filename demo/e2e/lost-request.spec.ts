/**
 * A payment request that never reaches the service. The page checks with the service, and the customer and the host
 * page get the same message. Requests that do arrive are tested in `lost-request.chromium.spec.ts`.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards, pay, pressPay, type Till, typeCard } from "./checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { expectHeard, expectReady, expectSessionPaid, heard, tillIn } from "./hosts/host-checkout.ts";
import { openSession, type SessionFields } from "./hosts/sessions.ts";

const payments = /\/frame\/payments$/;
const lostSentence = "The connection was lost. You have not been charged. You can try again.";

test("a request that never arrives is reported to both the customer and the host page, and the next press pays", async ({
  page,
}) => {
  const { till, sessionId } = await openCheckoutPage(page);
  await page.route(payments, (route) => route.abort(), { times: 1 });
  await pay(till, cards.approved);
  await expect(till.locator("#notice")).toHaveText(lostSentence);
  await expectHeard(page, "decline");
  expect(await heard(page, "decline")).toMatchObject([
    { code: "try_again", message: lostSentence, retryable: true, attempt: 1, attemptsLeft: 5 },
  ]);
  expect(await stateOf(page)).toBe("ready");

  await pressPay(till);
  await expectSessionPaid(sessionId);
  await expectHeard(page, "complete");
  expect(await heard(page, "error")).toEqual([]);
});

test("submit() reports a request that never arrives as retryable, not as an unknown outcome", async ({ page }) => {
  const { till, sessionId } = await openCheckoutPage(page, { submit_button: "merchant" });
  await page.route(payments, (route) => route.abort(), { times: 1 });
  await typeCard(till, cards.approved);
  const submit = () => page.evaluate(() => window.checkout.submit());
  expect(await submit()).toEqual({ type: "decline", code: "try_again", message: lostSentence, retryable: true });
  await expect(till.locator("#notice")).toHaveText(lostSentence);
  expect(await submit()).toEqual({ type: "complete", sessionId });
});

test("a refusal before any payment is also reported to the host page", async ({ page }) => {
  const { till } = await openCheckoutPage(page);
  await pay(till, { ...cards.approved, number: "4000056655665556" });
  await expect(till.locator("#notice")).toContainText("Use one of the test cards.");
  await expectHeard(page, "decline");
  expect(await stateOf(page)).toBe("ready");
});

// --- helpers
// -----------------------------------------------------------------------------------------------------------------------

async function openCheckoutPage(page: Page, fields: SessionFields = {}): Promise<{ till: Till; sessionId: string }> {
  const { embedUrl, sessionId } = await openSession(fields);
  await page.goto(await pageAddress(appPage("esm", { embedUrl, locale: "en" })));
  const till = tillIn(page);
  await expectReady(till);
  return { till, sessionId };
}

const stateOf = (page: Page) => page.evaluate(() => window.checkout.state);
