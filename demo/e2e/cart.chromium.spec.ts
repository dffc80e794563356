/**
 * In the shop's app, a customer chooses the shipping and enters promotion codes, which the shop's server accepts or
 * rejects. The form is the same in every browser, so this runs only in Chromium.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards, clickInFrame, expectPaid, goToForm, pay, pressPay, type CheckoutForm } from "./checkout.ts";

test("with express shipping and a voucher, a customer pays the total that the order page shows", async ({ page }) => {
  const form = await goToForm(page, "app");
  await form.getByLabel("Shipping", { exact: true }).selectOption({ label: "Express, next day · €9.90" });
  await expectPay(form, "Pay €58.90");
  await enterCode(form, "kiln5");
  await expectPay(form, "Pay €53.90");
  await expect(form.getByText("Code applied.")).toBeVisible();
  await pay(form, cards.approved);
  await expectPaid(page);
  await openOrder(page);
  await expectPaid(page);
  await expect(page.locator(".totals")).toContainText("Express, next day · €9.90");
  await expect(page.locator(".totals")).toContainText("KILN5 · -€5.00");
  await expect(page.locator(".totals .total")).toHaveText(/Total\s*€53\.90/);
});

test("with a voucher for the whole order, a customer places it without a card", async ({ page }) => {
  const form = await goToForm(page, "app");
  await form.getByLabel("Shipping", { exact: true }).selectOption({ label: "Express, next day · €9.90" });
  await expectPay(form, "Pay €58.90");
  await enterCode(form, "FREECUP");
  await expectPay(form, "Place order");
  await expect(form.getByLabel("Card number", { exact: true })).toBeHidden();
  await pressPay(form);
  await expect(page.getByRole("heading", { name: "Order placed" })).toBeVisible();
  await openOrder(page);
  await expect(page.getByRole("heading", { name: "Order placed" })).toBeVisible();
  await expect(page.locator(".totals .total")).toHaveText(/Total\s*€0\.00/);
});

test("a wrong code and an expired one change nothing, and the form says why", async ({ page }) => {
  const form = await goToForm(page, "app");
  await enterCode(form, "KILN6");
  await expect(form.getByText("This code isn’t valid.")).toBeVisible();
  await enterCode(form, "SPRING");
  await expect(form.getByText("This code has expired.")).toBeVisible();
  await expectPay(form, "Pay €49.00");
});

test("on the payment page, where the shop has no page of its own, the webhook makes the shop reply", async ({
  page,
}) => {
  const form = await goToForm(page, "redirect");
  await enterCode(form, "KILN5");
  await expectPay(form, "Pay €44.00");
});

async function enterCode(form: CheckoutForm, code: string): Promise<void> {
  await form.getByLabel("Promotion code", { exact: true }).fill(code);
  await clickInFrame(form.getByRole("button", { name: "Apply" }));
}

/** The button has this label, and takes presses again after its amount has changed. */
async function expectPay(form: CheckoutForm, label: string): Promise<void> {
  await expect(form.getByTestId("oriel-pay")).toHaveText(label);
  await expect(form.getByTestId("oriel-pay")).toBeEnabled();
  await expect(form.getByTestId("oriel-pay")).not.toHaveAttribute("data-changed");
}

async function openOrder(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Your order" }).click();
  await expect(page).toHaveURL(/\/orders\/ord_\w+$/);
}
