/** A whole checkout by keyboard: into the iframe, through the bank's page two iframes deeper, and out again. */
import { expect, test, type Page } from "@playwright/test";
import { bankPage, cards } from "../checkout.ts";
import { expectReady, expectSessionPaid } from "../hosts/host-checkout.ts";
import { sessionOf } from "../hosts/sessions.ts";
import { expectFocus, focusedIn, pressUntil } from "./focus.ts";
import { layouts, openCheckoutPage, type Layout, type OpenCheckoutPage } from "./open-checkout.ts";
import { parts } from "./states.ts";

const fields = ["oriel-number", "oriel-expiry", "oriel-cvc"];

/** Types the card, starting in the number field. */
async function typeByKeyboard(page: Page, { number, expiry, cvc }: typeof cards.challenge): Promise<void> {
  await expectFocus(page, "oriel-number");
  await page.keyboard.type(number);
  await pressUntil(page, "Tab", "oriel-expiry", 1);
  await page.keyboard.type(expiry);
  await pressUntil(page, "Tab", "oriel-cvc", 1);
  await page.keyboard.type(cvc);
}

/** Opens the checkout and reaches the bank's page by keyboard. */
async function openAtBank(page: Page, layout: Layout): Promise<OpenCheckoutPage> {
  const open = await openCheckoutPage(page, layout);
  await expectReady(open.form);
  await parts.number(open.form).focus();
  await typeByKeyboard(page, cards.challenge);
  await page.keyboard.press("Enter");
  await expectFocus(page, "bank-title");
  await expect((await bankPage(page)).getByRole("textbox")).toBeVisible();
  return open;
}

test(
  "Tab moves from the shop's page through the form and out again, and Shift+Tab moves all the way back",
  { tag: "@quick" },
  async ({ page }) => {
    const { form } = await openCheckoutPage(page, "inline");
    await expectReady(form);
    // The order's details and the test cards come after the form.
    await expect(form.locator("summary:visible")).toHaveCount(2);
    await page.locator("#before").focus();

    const path = await pressUntil(page, "Tab", "after");
    expect(path.filter((name) => fields.includes(name) || name === "oriel-pay")).toEqual([...fields, "oriel-pay"]);
    expect(path.length, "each element is focused once").toBe(new Set(path).size);

    const back = await pressUntil(page, "Shift+Tab", "before");
    expect(back).toEqual([...path.slice(0, -1).reverse(), "before"]);
  },
);

for (const layout of layouts) {
  test(
    `${layout}: a customer pays and passes the bank's challenge by keyboard alone`,
    { tag: "@quick" },
    async ({ page }) => {
      const { form, sessionId } = await openCheckoutPage(page, layout);
      await expectReady(form);
      if (layout === "inline") await page.locator("#before").focus();
      await pressUntil(page, "Tab", "oriel-number");
      await typeByKeyboard(page, cards.challenge);
      await pressUntil(page, "Tab", "oriel-pay", 3);
      await page.keyboard.press("Enter");

      await expectFocus(page, "bank-title");
      await expect((await bankPage(page)).getByRole("textbox")).toBeVisible();
      await pressUntil(page, "Tab", "code");
      await page.keyboard.type("111111");
      await pressUntil(page, "Tab", "Submit", 1);
      await page.keyboard.press("Enter");

      await expectFocus(page, "oriel-result");
      await expectSessionPaid(sessionId);
      if (layout === "inline") await pressUntil(page, "Tab", "after");
    },
  );

  test(
    `${layout}: Escape asks whether to cancel, a second Escape resumes the challenge, and canceling returns to the form`,
    { tag: "@quick" },
    async ({ page }) => {
      const { form, sessionId } = await openAtBank(page, layout);

      await page.keyboard.press("Escape");
      await expect(parts.bankButtons(form)).toHaveCount(2);
      await expect(parts.bankButtons(form).first(), "the button that continues has the focus").toBeFocused();
      await page.keyboard.press("Escape");
      await expect(parts.bankButtons(form)).toHaveCount(1);
      await expect(parts.bankButtons(form)).toBeFocused();

      await page.keyboard.press("Enter");
      await expect(parts.bankButtons(form)).toHaveCount(2);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await expectFocus(page, "notice");
      await pressUntil(page, "Tab", "oriel-number", 2);
      expect((await sessionOf(sessionId)).payment_status).toBe("unpaid");
    },
  );

  test(`${layout}: Tab and Shift+Tab both lead out of the bank's page`, { tag: "@quick" }, async ({ page }) => {
    const { form } = await openAtBank(page, layout);
    await pressUntil(page, "Tab", "code");
    const ours = (await parts.bankButtons(form).first().textContent()) ?? "";
    const back = await pressUntil(page, "Shift+Tab", ours);
    await pressUntil(page, "Tab", "code", back.length);
    await pressUntil(page, "Tab", "Submit", 1);
    await page.keyboard.press("Tab");
    await expect.poll(() => focusedIn(page), { message: "Tab leaves the bank's last button" }).not.toBe("Submit");
  });
}

test(
  "Enter without a card focuses the first invalid field, which shows an error",
  { tag: "@quick" },
  async ({ page }) => {
    const { form } = await openCheckoutPage(page, "inline");
    await expectReady(form);
    await parts.expiry(form).focus();
    await page.keyboard.press("Enter");
    await expectFocus(page, "oriel-number");
    await expect(parts.number(form)).toHaveAttribute("aria-invalid", "true");
    const error = (await parts.number(form).getAttribute("aria-describedby"))?.split(" ")[0];
    await expect(form.locator(`#${error}`)).not.toBeEmpty();
  },
);
