/**
 * The main flow, from the shop's front page to a paid order, for each integration. It uses three origins, real windows
 * and a bank in its own process. An order is paid once the shop has verified a webhook. Nothing in the browser can mark
 * it as paid.
 */
import { expect, test, type Page } from "@playwright/test";
import { answerChallenge, cards, expectPaid, goToTill, orderOf, pay, ways, type Till, type Way } from "./checkout.ts";

for (const way of ways) {
  test.describe(`a customer who pays by ${way}`, () => {
    test("pays with a card without 3-D Secure", async ({ page }) => {
      const till = await goToTill(page, way);
      await pay(till, cards.approved);
      await expectPaid(page);
    });

    test("pays with a 3-D Secure card without a challenge", async ({ page }) => {
      const till = await goToTill(page, way);
      await pay(till, cards.frictionless);
      await expectPaid(page);
    });

    test("passes the bank's challenge", async ({ page }) => {
      const till = await goToTill(page, way);
      await pay(till, cards.challenge);
      await answerChallenge(page, "111111");
      await expectPaid(page);
    });

    test("fails the bank's challenge, then pays with another card", { tag: "@quick" }, async ({ page }) => {
      const order = rememberOrder(page, way);
      const till = await goToTill(page, way);
      await pay(till, cards.challenge);
      await answerChallenge(page, "222222");
      await expectRefusal(till, /bank could not confirm|not confirm|verif/i);
      await expect.poll(async () => await orderOf(await order)).toMatchObject({ status: "open", failed_payments: 1 });

      await pay(till, cards.approved);
      await expectPaid(page);
      expect(await orderOf(await order)).toMatchObject({ status: "paid", failed_payments: 1 });
    });

    test("cancels the bank's challenge, then pays with another card", async ({ page }) => {
      const till = await goToTill(page, way);
      await pay(till, cards.challenge);
      await answerChallenge(page, "333333");
      await expectRefusal(till, /cancel/i);
      await pay(till, cards.approved);
      await expectPaid(page);
    });

    test("is declined twice, then pays in the same form", { tag: "@quick" }, async ({ page }) => {
      const order = rememberOrder(page, way);
      const till = await goToTill(page, way);
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
  });
}

async function expectRefusal(till: Till, reason: RegExp): Promise<void> {
  await expect(till.locator("#notice").filter({ hasText: reason })).toBeVisible();
}

/** The order's ID, from the shop's response or page. */
async function rememberOrder(page: Page, way: Way): Promise<string> {
  if (way === "script") {
    const response = await page.waitForResponse((answer) => answer.url().endsWith("/script"));
    return /\/orders\/([\w-]+)/.exec(await response.text())?.[1] ?? "";
  }
  const response = await page.waitForResponse(
    (answer) => answer.url().endsWith("/orders") && answer.request().method() === "POST",
  );
  if (way === "app") return ((await response.json()) as { order_id: string }).order_id;
  const payment = await page.waitForResponse((answer) => answer.url().includes("/frame/sessions/"));
  const { session } = (await payment.json()) as { session: { return_url: string } };
  return new URL(session.return_url).pathname.split("/").at(-1) ?? "";
}
