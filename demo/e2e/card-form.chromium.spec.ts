/** Filling in the form: nothing moves, a card with two networks offers both, and the test panel fills in cards. */
import { expect, test, type Page } from "@playwright/test";
import { sharedTestCards } from "@oriel/protocol/test-cards";
import { cards, clickInFrame, pay, pressPay } from "./checkout.ts";
import { expectReceived, expectReady, expectSessionPaid, received, formIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

async function openForm(page: Page) {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl })));
  const form = formIn(page);
  await expectReceived(page, "ready");
  await expectReady(form);
  return { sessionId, form };
}

test("errors and the network choice don't move the form", async ({ page }) => {
  const { form } = await openForm(page);
  const place = async () => {
    const boxes = await Promise.all(
      ["oriel-number", "oriel-expiry", "oriel-cvc", "oriel-pay"].map((id) => form.getByTestId(id).boundingBox()),
    );
    return boxes.map((box) => box && [box.x, box.y, box.width, box.height].map(Math.round));
  };
  const before = await place();
  await clickInFrame(form.getByTestId("oriel-pay"));
  await expect(form.locator("#number-error")).not.toBeEmpty();
  await expect(form.locator("#cvc-error")).not.toBeEmpty();
  expect(await place()).toEqual(before);
  await form.getByTestId("oriel-number").pressSequentially(sharedTestCards.cartes_bancaires_visa);
  await expect(form.getByRole("radio")).toHaveCount(2);
  expect(await place()).toEqual(before);
});

test("a customer can choose the network by keyboard, and the page is notified", async ({ page }) => {
  const { sessionId, form } = await openForm(page);
  const number = form.getByTestId("oriel-number");
  await number.pressSequentially(sharedTestCards.cartes_bancaires_visa);
  await expect(form.getByRole("radiogroup", { name: "Pay with: Visa or CB" })).toBeVisible();
  await number.press("Tab");
  await form.getByRole("radio", { name: "Visa" }).press("ArrowRight");
  await expect(form.getByRole("radio", { name: "CB" })).toBeChecked();
  await expect
    .poll(async () => (await received(page, "change")).at(-1))
    .toMatchObject({ networkChoices: ["visa", "cartes_bancaires"], networkChoice: "cartes_bancaires" });
  await form.getByTestId("oriel-expiry").pressSequentially(cards.approved.expiry);
  await form.getByTestId("oriel-cvc").pressSequentially(cards.approved.cvc);
  await pressPay(form);
  await expectSessionPaid(sessionId);
});

test("the brand's logo is an image from our origin and stays after a decline", async ({ page }) => {
  const { form } = await openForm(page);
  await pay(form, cards.declined);
  await expect(form.locator("#notice")).toBeVisible();
  const mark = form.getByRole("img", { name: "Visa" }).locator("img");
  await expect(mark).toBeVisible();
  expect(await mark.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth > 0)).toBe(true);
});

test("the test panel works by keyboard, and Enter in its search doesn't pay", async ({ page }) => {
  const { sessionId, form } = await openForm(page);
  await clickInFrame(form.getByText("Test cards"));
  const search = form.getByRole("searchbox", { name: "Search the test cards" });
  await search.pressSequentially("insufficient");
  await search.press("Enter");
  await expect(form.getByRole("status")).toHaveText("Cards found: 2");
  await expect(form.locator("#number-error")).toBeEmpty();
  await search.press("Tab");
  await form.getByRole("button", { name: /^Insufficient funds / }).press("Enter");
  await expect(form.getByTestId("oriel-number")).toHaveValue("4000 0000 0000 9995");
  await expect(form.getByTestId("oriel-pay")).toBeFocused();
  await search.fill("american");
  await clickInFrame(form.getByRole("button", { name: /^American Express / }));
  await expect(form.getByTestId("oriel-cvc")).toHaveValue("1234");
  await form.getByText("Visa 4242 4242 4242 4242").waitFor({ state: "hidden" });
  await search.fill("");
  await clickInFrame(form.getByRole("button", { name: "Visa 4242 4242 4242 4242" }));
  await pressPay(form);
  await expectSessionPaid(sessionId);
});
