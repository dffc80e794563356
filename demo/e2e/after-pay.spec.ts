/**
 * The code for what comes after Pay is a file of its own, fetched when Pay is pressed. Where it cannot be had nothing is lost: the payment stays with the
 * service, the page says that it does not know, and the next document takes it up.
 */
import { expect, test } from "@playwright/test";
import { answerChallenge, cards, expectPaid, goToTill, pay, pressPay, typeCard, type Way } from "./checkout.ts";
import { countRequests } from "./count-requests.ts";

const afterPay = /\/assets\/after-\w+\.js$/;

for (const way of ["script", "redirect"] as const satisfies readonly Way[]) {
  test.describe(`the code for what comes after Pay, by ${way},`, () => {
    test("is not fetched before Pay is pressed", async ({ page }) => {
      const fetched = countRequests(page, (request) => afterPay.test(request.url()));
      const till = await goToTill(page, way);
      await typeCard(till, cards.challenge);
      expect(fetched()).toBe(0);
      await pressPay(till);
      await answerChallenge(page, "111111");
      await expectPaid(page);
      expect(fetched()).toBe(1);
    });

    for (const card of ["challenge", "approved"] as const) {
      test(`that cannot be fetched leaves the payment to the next document (${card})`, async ({ page }) => {
        await page.route(afterPay, (route) => route.abort());
        const till = await goToTill(page, way);
        await pay(till, cards[card]);
        const lookAgain = till.getByRole("button", { name: "Check again" });
        await expect(lookAgain).toBeVisible();

        await page.unroute(afterPay);
        await lookAgain.click();
        if (card === "challenge") await answerChallenge(page, "111111");
        await expectPaid(page);
      });
    }
  });
}
