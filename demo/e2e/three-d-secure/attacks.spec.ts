/**
 * A customer uses Back, Forward and a second tab during a challenge. Each browser has its own rules for the history of
 * iframes, for pages that were the response to a form, and for what the iframes in two tabs can tell each other.
 */
import { expect, test, type Page } from "@playwright/test";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { completeChallenge, bankPage, cardOf, pay } from "../checkout.ts";
import { pageAddress } from "../hosts/host-page.ts";
import { cancelHere } from "./at-the-bank.ts";
import { authorizationsOf } from "./bank-records.ts";
import { expectEnd, openAgain, passedChallenge, payUntilChallenge } from "./try-to-pay.ts";

test("a customer who leaves a challenge by Back, then Forward, finds it again", async ({ page }) => {
  await page.goto(await pageAddress({ body: "<h1>Another page</h1>" }));
  await disablePageCache(page);
  const tried = await payUntilChallenge(page);
  await disablePageCache(page);
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Another page" })).toBeVisible();
  await page.goForward();
  await completeChallenge(page, "111111");
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
  await expectEnd(tried, { ...passedChallenge, creqs: tried.creqs() });
  expect(tried.creqs()).toBeLessThanOrEqual(2);
});

test("a customer who goes Back inside the bank's page after a wrong code can cancel and pay again", async ({
  page,
}) => {
  const tried = await payUntilChallenge(page);
  const bank = await bankPage(page);
  await bank.getByLabel("Code").pressSequentially("000000");
  await bank.getByRole("button", { name: "Submit" }).click();
  await expect(bank.getByText("2 attempts left")).toBeVisible();
  // The previous page was the response to a form submission, so Chromium shows its own error page instead.
  await page.evaluate(() => history.back());
  await cancelHere(tried.form);
  await expect(tried.form.locator("#notice")).toContainText("You canceled.");
  expect(await authorizationsOf(tried.amount)).toEqual([]);
  await pay(tried.form, cardOf(threeDSecureCards.frictionless_without_method[0]));
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
  expect(await authorizationsOf(tried.amount)).toMatchObject([{ status: "approved", requests: 1 }]);
});

test("two tabs of one session show the bank's page in one while the other waits, and then both show the result", async ({
  page,
  context,
}) => {
  const tried = await payUntilChallenge(page);
  const second = await openAgain(tried, await context.newPage());
  await expect(second.form.getByText("Waiting for your bank…").first()).toBeVisible();
  await page.bringToFront();
  await completeChallenge(page, "111111");
  for (const { form } of [tried, second])
    await expect(form.getByTestId("oriel-result")).toContainText("Payment complete");
  expect(second.creqs()).toBe(0);
  await expectEnd(tried, passedChallenge);
});

/**
 * Makes the browser reload the page on return, because Firefox's driver waits forever for a page from the back/forward
 * cache.
 */
async function disablePageCache(page: Page): Promise<void> {
  await page.evaluate(() => addEventListener("unload", () => {}));
}
