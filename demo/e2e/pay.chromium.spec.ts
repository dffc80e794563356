/**
 * Cards that don't pay at once, from the shop's front page to a paid order. The outcome depends on the service and not
 * on the integration or the browser, so each card is used with one integration. Until a payment succeeds, the order
 * stays open.
 */
import { expect, test, type Page } from "@playwright/test";
import { completeChallenge, cards, expectPaid, goToForm, orderOf, pay, type CheckoutForm } from "./checkout.ts";

test("by app a customer pays with a 3-D Secure card without a challenge", async ({ page }) => {
  const form = await goToForm(page, "app");
  await pay(form, cards.frictionless);
  await expectPaid(page);
});

test(
  "by redirect a customer fails the bank's challenge, then pays with another card",
  { tag: "@quick" },
  async ({ page }) => {
    const order = orderOfFullPage(page);
    const form = await goToForm(page, "redirect");
    await pay(form, cards.challenge);
    await completeChallenge(page, "222222");
    await expectRefusal(form, /bank could not confirm|not confirm|verif/i);
    await expect.poll(async () => await orderOf(await order)).toMatchObject({ status: "open", failed_payments: 1 });

    await pay(form, cards.approved);
    await expectPaid(page);
    expect(await orderOf(await order)).toMatchObject({ status: "paid", failed_payments: 1 });
  },
);

test("by app a customer cancels the bank's challenge, then pays with another card", async ({ page }) => {
  const form = await goToForm(page, "app");
  await pay(form, cards.challenge);
  await completeChallenge(page, "333333");
  await expectRefusal(form, /cancel/i);
  await pay(form, cards.approved);
  await expectPaid(page);
});

test("by script a customer is declined twice, then pays in the same form", { tag: "@quick" }, async ({ page }) => {
  const order = orderOfScript(page);
  const form = await goToForm(page, "script");
  await pay(form, cards.declined);
  await expectRefusal(form, /declined/i);
  await expect(form.getByLabel("CVC", { exact: true })).toHaveValue("");
  await pay(form, cards.insufficientFunds);
  await expectRefusal(form, /insufficient funds/i);
  await expect.poll(async () => await orderOf(await order)).toMatchObject({ status: "open", failed_payments: 2 });

  await pay(form, cards.approved);
  await expectPaid(page);
  expect(await orderOf(await order)).toMatchObject({ status: "paid", failed_payments: 2 });
});

async function expectRefusal(form: CheckoutForm, reason: RegExp): Promise<void> {
  await expect(form.locator("#notice").filter({ hasText: reason })).toBeVisible();
}

/** The order's ID, from the page with the script. */
async function orderOfScript(page: Page): Promise<string> {
  const response = await page.waitForResponse((one) => one.url().endsWith("/script"));
  return /\/orders\/([\w-]+)/.exec(await response.text())?.[1] ?? "";
}

/** The order's ID, from the URL to which the full page returns. */
async function orderOfFullPage(page: Page): Promise<string> {
  const payment = await page.waitForResponse((one) => one.url().includes("/frame/sessions/"));
  const { session } = (await payment.json()) as { session: { return_url: string } };
  return new URL(session.return_url).pathname.split("/").at(-1) ?? "";
}
