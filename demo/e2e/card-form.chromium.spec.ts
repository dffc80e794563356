/** Filling in the form: nothing moves, a card with two networks offers both, and the test panel fills in cards. */
import { expect, test, type Page } from "@playwright/test";
import { sharedTestCards } from "@oriel/protocol/test-cards";
import { cards, clickInFrame, pay, pressPay } from "./checkout.ts";
import { expectReceived, expectReady, expectSessionPaid, received, tillIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

async function openForm(page: Page) {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl })));
  const till = tillIn(page);
  await expectReceived(page, "ready");
  await expectReady(till);
  return { sessionId, till };
}

test("errors and the network choice don't move the form", async ({ page }) => {
  const { till } = await openForm(page);
  const place = async () => {
    const boxes = await Promise.all(
      ["oriel-number", "oriel-expiry", "oriel-cvc", "oriel-pay"].map((id) => till.getByTestId(id).boundingBox()),
    );
    return boxes.map((box) => box && [box.x, box.y, box.width, box.height].map(Math.round));
  };
  const before = await place();
  await clickInFrame(till.getByTestId("oriel-pay"));
  await expect(till.locator("#number-error")).not.toBeEmpty();
  await expect(till.locator("#cvc-error")).not.toBeEmpty();
  expect(await place()).toEqual(before);
  await till.getByTestId("oriel-number").pressSequentially(sharedTestCards.cartes_bancaires_visa);
  await expect(till.getByRole("radio")).toHaveCount(2);
  expect(await place()).toEqual(before);
});

test("a customer can choose the network by keyboard, and the page is notified", async ({ page }) => {
  const { sessionId, till } = await openForm(page);
  const number = till.getByTestId("oriel-number");
  await number.pressSequentially(sharedTestCards.cartes_bancaires_visa);
  await expect(till.getByRole("radiogroup", { name: "Pay with: Visa or CB" })).toBeVisible();
  await number.press("Tab");
  await till.getByRole("radio", { name: "Visa" }).press("ArrowRight");
  await expect(till.getByRole("radio", { name: "CB" })).toBeChecked();
  await expect
    .poll(async () => (await received(page, "change")).at(-1))
    .toMatchObject({ networkChoices: ["visa", "cartes_bancaires"], networkChoice: "cartes_bancaires" });
  await till.getByTestId("oriel-expiry").pressSequentially(cards.approved.expiry);
  await till.getByTestId("oriel-cvc").pressSequentially(cards.approved.cvc);
  await pressPay(till);
  await expectSessionPaid(sessionId);
});

test("the brand's logo is an image from our origin and stays after a decline", async ({ page }) => {
  const { till } = await openForm(page);
  await pay(till, cards.declined);
  await expect(till.locator("#notice")).toBeVisible();
  const mark = till.getByRole("img", { name: "Visa" }).locator("img");
  await expect(mark).toBeVisible();
  expect(await mark.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth > 0)).toBe(true);
});

test("the test panel works by keyboard, and Enter in its search doesn't pay", async ({ page }) => {
  const { sessionId, till } = await openForm(page);
  await clickInFrame(till.getByText("Test cards"));
  const search = till.getByRole("searchbox", { name: "Search the test cards" });
  await search.pressSequentially("insufficient");
  await search.press("Enter");
  await expect(till.getByRole("status")).toHaveText("Cards found: 2");
  await expect(till.locator("#number-error")).toBeEmpty();
  await search.press("Tab");
  await till.getByRole("button", { name: /^Insufficient funds / }).press("Enter");
  await expect(till.getByTestId("oriel-number")).toHaveValue("4000 0000 0000 9995");
  await expect(till.getByTestId("oriel-pay")).toBeFocused();
  await search.fill("american");
  await clickInFrame(till.getByRole("button", { name: /^American Express / }));
  await expect(till.getByTestId("oriel-cvc")).toHaveValue("1234");
  await till.getByText("Visa 4242 4242 4242 4242").waitFor({ state: "hidden" });
  await search.fill("");
  await clickInFrame(till.getByRole("button", { name: "Visa 4242 4242 4242 4242" }));
  await pressPay(till);
  await expectSessionPaid(sessionId);
});
