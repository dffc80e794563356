/**
 * The mark on the result screen has the color that contrasts with its circle. Firefox corrupts some colors that an
 * element inherits, so the computed color is checked in both browsers.
 */
import { expect, test } from "@playwright/test";
import { cards, pay } from "../checkout.ts";
import { openHostCheckout } from "../hosts/host-checkout.ts";

test("the mark of a paid order is white on the default green", async ({ page }) => {
  const { form } = await openHostCheckout(page);
  await pay(form, cards.approved);
  const white = "color(xyz-d65 0.9505 1 1.089)";
  await expect(form.locator("#result-mark")).toHaveCSS("stroke", white);
});
