/** Form options for a host page: the fields in addition to the card, their default values, and who submits the form. */
import { expect, test, type Page } from "@playwright/test";
import { cards, typeCard, pressPay } from "./checkout.ts";
import { expectReceived, expectReady, expectSessionPaid, received, formIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession, savedCardOf, sessionOf } from "./hosts/sessions.ts";

async function openForm(page: Page, embedUrl: string, options: object) {
  await page.goto(await pageAddress(appPage("esm", { embedUrl, ...options })));
  const form = formIn(page);
  await expectReceived(page, "ready");
  return form;
}

test("required fields are shown and sent with the payment", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession({ save_payment_method: true });
  const form = await openForm(page, embedUrl, {
    fields: { name: "required", email: "required", postalCode: "required" },
  });
  await typeCard(form, cards.approved);
  const validation = await page.evaluate(() => window.checkout.validate());
  expect(validation.valid).toBe(false);
  expect(validation.errors.map(({ field }) => field).sort()).toEqual(["email", "name", "postalCode"]);
  expect((await sessionOf(sessionId)).status).toBe("open");

  await form.getByTestId("oriel-name").pressSequentially("Ada Vance");
  await form.getByTestId("oriel-email").pressSequentially("ada@shop.example");
  await form.getByTestId("oriel-postal-code").pressSequentially("04109");
  expect(await page.evaluate(() => window.checkout.validate())).toEqual({ valid: true, errors: [] });
  await pressPay(form);
  await expectSessionPaid(sessionId);
  const { billing_details } = await savedCardOf(sessionId);
  expect(billing_details).toMatchObject({ name: "Ada Vance", email: "ada@shop.example", postal_code: "04109" });
});

test("default values fill untouched fields, and a field that isn't requested isn't shown", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  const form = await openForm(page, embedUrl, {
    fields: { name: "required", email: "required" },
    defaultValues: { name: "Ada Vance", email: "ada@shop.example" },
  });
  await expect(form.getByTestId("oriel-name")).toHaveValue("Ada Vance");
  await expect(form.getByTestId("oriel-postal-code")).toBeHidden();
  await form.getByTestId("oriel-email").press("ControlOrMeta+a");
  await form.getByTestId("oriel-email").pressSequentially("countess@shop.example");
  await page.evaluate(() =>
    window.checkout.update({ defaultValues: { name: "A. Vance", email: "other@shop.example" } }),
  );
  await expect(form.getByTestId("oriel-name")).toHaveValue("A. Vance");
  await expect(form.getByTestId("oriel-email")).toHaveValue("countess@shop.example");
  await typeCard(form, cards.approved);
  await pressPay(form);
  await expectSessionPaid(sessionId);
});

test("with `submit_button: merchant` the page submits the form with submit(), and keeps its focus", async ({
  page,
}) => {
  const { sessionId, embedUrl } = await openSession({ submit_button: "merchant" });
  const body = '<input id="coupon"><div style="height: 2000px"></div>';
  await page.goto(await pageAddress(appPage("esm", { embedUrl, submitButton: "merchant" }, { body })));
  const form = formIn(page);
  await expectReceived(page, "ready");
  await expect(form.getByTestId("oriel-pay")).toBeHidden();

  const early = await page.evaluate(() => window.checkout.submit());
  expect(early).toMatchObject({ type: "validation" });
  for (const [field, text] of [
    ["oriel-number", cards.declined.number],
    ["oriel-expiry", cards.declined.expiry],
    ["oriel-cvc", cards.declined.cvc],
  ] as const) {
    await form.getByTestId(field).pressSequentially(text);
  }
  await page.locator("#coupon").click();
  expect(await page.evaluate(() => window.checkout.submit())).toMatchObject({ type: "decline", retryable: true });
  await expect(form.locator("#live")).toHaveText(/declined/);
  await expect(page.locator("#coupon")).toBeFocused();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await form.getByTestId("oriel-number").fill("");
  await form.getByTestId("oriel-number").pressSequentially(cards.approved.number);
  await form.getByTestId("oriel-cvc").pressSequentially(cards.approved.cvc);
  expect(await page.evaluate(() => window.checkout.submit())).toEqual({ type: "complete", sessionId });
  await expectSessionPaid(sessionId);
});

test("the page can't submit a session that doesn't allow it, and the form keeps its own button", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  const form = await openForm(page, embedUrl, { submitButton: "merchant" });
  await expectReady(form);
  await expect(form.getByTestId("oriel-pay")).toBeVisible();
  await typeCard(form, cards.approved);
  const refusal = await page.evaluate(async () => {
    const result = await window.checkout.submit();
    return result.type === "error" ? result.error.code : result.type;
  });
  expect(refusal).toBe("submit_not_allowed");
  expect((await sessionOf(sessionId)).payment_status).toBe("unpaid");
  await pressPay(form);
  await expectSessionPaid(sessionId);
});

test("a disabled form accepts no input until it's re-enabled", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl })));
  const form = formIn(page);
  await typeCard(form, cards.approved);
  await page.evaluate(() => window.checkout.update({ disabled: true }));
  await expect(form.getByTestId("oriel-pay")).toBeDisabled();
  await page.evaluate(() => window.checkout.update({ disabled: false }));
  await pressPay(form);
  await expectSessionPaid(sessionId);
  expect(await received(page, "error")).toEqual([]);
});
