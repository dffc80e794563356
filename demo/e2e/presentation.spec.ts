/**
 * Keys and focus in a dialog whose content is another site's iframe. The rest is in `presentation.chromium.spec.ts`.
 */
import { expect, test } from "@playwright/test";
import { expectClosed, openDialogPage } from "./dialog-page.ts";
import { received, formIn } from "./hosts/host-checkout.ts";

test("Escape in the form closes the dialog and returns the focus to the button", async ({ page }) => {
  await openDialogPage(page);
  await formIn(page).getByTestId("oriel-number").pressSequentially("4242");
  await page.keyboard.press("Escape");
  await expectClosed(page);
  expect(await received(page, "cancel")).toEqual([{ by: "customer" }]);
});
