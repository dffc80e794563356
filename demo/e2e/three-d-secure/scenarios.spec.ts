/**
 * Bank pages whose effect depends on how the browser handles framing and cookies, with the sandbox's published cards.
 * The other cards are in `scenarios.chromium.spec.ts`.
 */
import { expect, test } from "@playwright/test";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { completeChallenge } from "../checkout.ts";
import { cancelHere } from "./at-the-bank.ts";
import { authenticationsOf } from "./bank-records.ts";
import { canceledChallenge, expectEnd, passedChallenge, passedWithoutChallenge, payBy } from "./try-to-pay.ts";

test("a 3DS Method that refuses framing is reported to the bank as N and delays nothing", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.method_refuses_framing[0]);
  await expectEnd(tried, passedWithoutChallenge);
  expect(await authenticationsOf(tried)).toMatchObject([{ threeDSCompInd: "N" }]);
});

test("if a bank's page refuses framing, the page says what to do, and the customer cancels", async ({ page }) => {
  await page.clock.install();
  const tried = await payBy(page, threeDSecureCards.challenge_refuses_framing[0]);
  await expect(tried.form.locator("iframe")).toHaveAttribute("title", "Your bank’s page");
  await page.clock.fastForward(25_000);
  await expect(tried.form.getByText("Having trouble?")).toBeVisible();
  await cancelHere(tried.form);
  await expect(tried.form.locator("#notice")).toContainText("You canceled.");
  await expectEnd(tried, canceledChallenge);
});

test("a bank's page that sets a cookie works whether or not the cookie is accepted", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_wants_cookies[0]);
  await completeChallenge(page, "111111");
  await expectEnd(tried, passedChallenge);
});
