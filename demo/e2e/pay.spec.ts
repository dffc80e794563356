/**
 * The main flow, from the shop's front page to a paid order, for each integration. It uses three origins, real windows
 * and a bank in its own process. An order is paid once the shop has verified a webhook. Nothing in the browser can mark
 * it as paid. Outcomes that depend on the service are in pay.chromium.spec.ts.
 */
import { test } from "@playwright/test";
import { completeChallenge, cards, expectPaid, goToForm, pay, ways } from "./checkout.ts";

for (const way of ways) {
  test.describe(`a customer who pays by ${way}`, () => {
    test("pays with a card without 3-D Secure", async ({ page }) => {
      const form = await goToForm(page, way);
      await pay(form, cards.approved);
      await expectPaid(page);
    });

    test("passes the bank's challenge", { tag: "@quick" }, async ({ page }) => {
      const form = await goToForm(page, way);
      await pay(form, cards.challenge);
      await completeChallenge(page, "111111");
      await expectPaid(page);
    });
  });
}
