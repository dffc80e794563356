/**
 * The checkout in a dialog on top of the page: a button opens it, and the focus returns to the button when the customer
 * closes it. Escape in the form is tested in `presentation.spec.ts`.
 */
import { expect, test } from "@playwright/test";
import { completeChallenge, bankPage, cards, pay } from "./checkout.ts";
import { expectClosed, openDialogPage } from "./dialog-page.ts";
import {
  expectReady,
  expectSessionPaid,
  received,
  payAndPassChallenge,
  payInEmptyForm,
  formIn,
} from "./hosts/host-checkout.ts";
import { attribute, pageAddress, scriptTag } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

test("Escape outside the form closes the dialog", async ({ page }) => {
  await openDialogPage(page);
  await page.getByRole("button", { name: "Close" }).focus();
  await page.keyboard.press("Escape");
  await expectClosed(page);
});

test("a closed dialog reopens with an empty form, and a customer pays in it", async ({ page }) => {
  const sessionId = await openDialogPage(page);
  await formIn(page).getByTestId("oriel-number").pressSequentially("4242");
  await page.getByRole("button", { name: "Close" }).click();
  await expectClosed(page);
  await page.keyboard.press("Enter");
  const form = formIn(page, "dialog[open]");
  await payInEmptyForm(form, sessionId);
  expect(await received(page, "error")).toEqual([]);
});

test("a customer passes the bank's challenge in the dialog", async ({ page }) => {
  const sessionId = await openDialogPage(page);
  await payAndPassChallenge(page, formIn(page, "dialog[open]"));
  await expectSessionPaid(sessionId);
});

test("if the browser closes the dialog during a challenge, it opens again, and the customer pays", async ({ page }) => {
  const sessionId = await openDialogPage(page);
  await pay(formIn(page, "dialog[open]"), cards.challenge);
  await bankPage(page);
  const closed = await page.locator("dialog").evaluateHandle((dialog) => {
    const closes = { count: 0 };
    dialog.addEventListener("close", () => (closes.count += 1));
    return closes;
  });
  // Chromium asks the page only once, until the customer does something else.
  await expect(async () => {
    await page.getByRole("button", { name: "Close" }).click({ timeout: 1_000 });
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("Escape");
    expect(await closed.evaluate(({ count }) => count)).toBeGreaterThan(0);
  }).toPass({ timeout: 15_000 });
  await expect(page.getByRole("dialog", { name: "Secure payment" })).toBeVisible();
  await completeChallenge(page, "111111");
  await expectSessionPaid(sessionId);
  expect(await received(page, "cancel")).toEqual([]);
});

test("a button in the markup opens the dialog, and a customer pays", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(
    await pageAddress({
      head: scriptTag,
      body: `<button data-oriel-open data-oriel-embed-url="${attribute(embedUrl)}">Pay 49.00</button>`,
    }),
  );
  const dialog = page.locator("dialog[open]");
  await expect(async () => {
    // Before the loader has loaded, a click does nothing. Once the dialog is open, it covers the button.
    if ((await dialog.count()) === 0) await page.getByRole("button", { name: "Pay 49.00" }).click({ timeout: 1_000 });
    await expect(dialog).toBeVisible({ timeout: 1_000 });
  }).toPass();
  const form = formIn(page, "dialog[open]");
  await expectReady(form);
  await page.getByRole("button", { name: "Close" }).click();
  await expectClosed(page, "Pay 49.00");
  await page.keyboard.press("Enter");
  await pay(form, cards.approved);
  await expectSessionPaid(sessionId);
});
