/**
 * The code that speaks with the customer's bank is a file of its own, fetched when Pay is pressed. Where it cannot be had nothing is lost: the payment
 * stays with the service, and the next document takes it up.
 */
import { expect, test, type Page } from "@playwright/test";
import { answerChallenge, cards, expectPaid, goToTill, pay, typeCard, type Way } from "./checkout.ts";

const bankCode = /\/assets\/bank-\w+\.js$/;

for (const way of ["script", "redirect"] as const satisfies readonly Way[]) {
  test.describe(`the bank's code, by ${way},`, () => {
    test("is not fetched before Pay is pressed", async ({ page }) => {
      const fetched = countFetches(page);
      const till = await goToTill(page, way);
      await typeCard(till, cards.challenge);
      expect(fetched()).toBe(0);
      await till.getByRole("button", { name: /^Pay/ }).click();
      await answerChallenge(page, "111111");
      await expectPaid(page);
      expect(fetched()).toBe(1);
    });

    test("that cannot be fetched leaves the payment to the next document", async ({ page }) => {
      await page.route(bankCode, (route) => route.abort());
      const till = await goToTill(page, way);
      await pay(till, cards.challenge);
      const lookAgain = till.getByRole("button", { name: "Look it up again" });
      await expect(lookAgain).toBeVisible();

      await page.unroute(bankCode);
      await lookAgain.click();
      await answerChallenge(page, "111111");
      await expectPaid(page);
    });

    test("is not missed by a card whose bank asks nothing", async ({ page }) => {
      await page.route(bankCode, (route) => route.abort());
      const till = await goToTill(page, way);
      await pay(till, cards.approved);
      await expectPaid(page);
    });
  });
}

function countFetches(page: Page): () => number {
  let fetches = 0;
  page.on("request", (request) => {
    if (bankCode.test(request.url())) fetches += 1;
  });
  return () => fetches;
}
