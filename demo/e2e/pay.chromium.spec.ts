/**
 * Cards that don't pay at once, from the shop's front page to a paid order. The outcome depends on the service and not
 * on the integration or the browser, so each card is used with one integration. Until a payment succeeds, the order
 * stays open.
 */
import { expect, test, type Page } from "@playwright/test";
import { answerChallenge, cards, expectPaid, goToTill, orderOf, pay, type Till } from "./checkout.ts";

test("by app a customer pays with a 3-D Secure card without a challenge", async ({ page }) => {
  const till = await goToTill(page, "app");
  await pay(till, cards.frictionless);
  await expectPaid(page);
});

test(
  "by redirect a customer fails the bank's challenge, then pays with another card",
  { tag: "@quick" },
  async ({ page }) => {
    const order = orderOfFullPage(page);
    const till = await goToTill(page, "redirect");
    await pay(till, cards.challenge);
    await answerChallenge(page, "222222");
    await expectRefusal(till, /bank could not confirm|not confirm|verif/i);
    await expect.poll(async () => await orderOf(await order)).toMatchObject({ status: "open", failed_payments: 1 });

    await pay(till, cards.approved);
    await expectPaid(page);
    expect(await orderOf(await order)).toMatchObject({ status: "paid", failed_payments: 1 });
  },
);

test("by app a customer cancels the bank's challenge, then pays with another card", async ({ page }) => {
  const till = await goToTill(page, "app");
  await pay(till, cards.challenge);
  await answerChallenge(page, "333333");
  await expectRefusal(till, /cancel/i);
  await pay(till, cards.approved);
  await expectPaid(page);
});

test("by script a customer is declined twice, then pays in the same form", { tag: "@quick" }, async ({ page }) => {
  const order = orderOfScript(page);
  const till = await goToTill(page, "script");
  await pay(till, cards.declined);
  await expectRefusal(till, /declined/i);
  await expect(till.getByLabel("CVC", { exact: true })).toHaveValue("");
  await pay(till, cards.insufficientFunds);
  await expectRefusal(till, /insufficient funds/i);
  await expect.poll(async () => await orderOf(await order)).toMatchObject({ status: "open", failed_payments: 2 });

  await pay(till, cards.approved);
  await expectPaid(page);
  expect(await orderOf(await order)).toMatchObject({ status: "paid", failed_payments: 2 });
});

async function expectRefusal(till: Till, reason: RegExp): Promise<void> {
  await expect(till.locator("#notice").filter({ hasText: reason })).toBeVisible();
}

/** The order's ID, from the page with the script. */
async function orderOfScript(page: Page): Promise<string> {
  const response = await page.waitForResponse((answer) => answer.url().endsWith("/script"));
  return /\/orders\/([\w-]+)/.exec(await response.text())?.[1] ?? "";
}

/** The order's ID, from the URL to which the full page returns. */
async function orderOfFullPage(page: Page): Promise<string> {
  const payment = await page.waitForResponse((answer) => answer.url().includes("/frame/sessions/"));
  const { session } = (await payment.json()) as { session: { return_url: string } };
  return new URL(session.return_url).pathname.split("/").at(-1) ?? "";
}
