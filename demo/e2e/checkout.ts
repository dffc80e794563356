/** What a customer does at checkout, for each of the shop's integrations. */
import { expect, type FrameLocator, type Locator, type Page } from "@playwright/test";
import { testCards } from "@oriel/protocol/test-cards";
import { addresses } from "./urls.ts";

export type Way = "script" | "app" | "redirect";
export const ways: readonly Way[] = ["script", "app", "redirect"];

export interface Card {
  number: string;
  expiry: string;
  cvc: string;
}

const year = String((new Date().getFullYear() + 3) % 100);
/** A card with this number, and an expiry and CVC that go with it. */
export const cardOf = (number: string): Card => ({
  number,
  expiry: `12${year}`,
  cvc: /^3[47]/.test(number) ? "1234" : "123",
});

/** The sandbox bank's published test cards. */
export const cards = {
  approved: cardOf(testCards.visa),
  declined: cardOf(testCards.generic_decline),
  insufficientFunds: cardOf(testCards.insufficient_funds),
  frictionless: cardOf(testCards.visa_3ds_frictionless),
  challenge: cardOf(testCards.visa_3ds_challenge),
};

/** The checkout: an iframe in the shop's page, or the full page. */
export type CheckoutForm = Page | FrameLocator;

/** Goes from the shop's front page to the checkout. */
export async function goToForm(page: Page, way: Way): Promise<CheckoutForm> {
  await page.goto(addresses.shop);
  switch (way) {
    case "script":
      await page.getByRole("link", { name: "On this page" }).click();
      return frameOf(page);
    case "app":
      await page.getByRole("link", { name: "In an app" }).click();
      await page.getByRole("link", { name: "Buy the cup" }).click();
      return frameOf(page);
    case "redirect":
      await page.getByRole("link", { name: "On the payment page" }).click();
      await page.getByRole("button", { name: "Continue to payment" }).click();
      await expect(page).toHaveURL(new RegExp(`^${addresses.checkout}/c/cs_`));
      return page;
  }
}

/** The iframe in a page that contains it in `.checkout`, like the shop's. */
export function frameOf(page: Page): FrameLocator {
  return page.locator(".checkout iframe").contentFrame();
}

/** Types one key at a time, as a person does. */
export async function typeCard(form: CheckoutForm, { number, expiry, cvc }: Card): Promise<void> {
  await expect(form.getByRole("button", { name: /^Pay/ })).toBeEnabled();
  for (const [label, text] of [
    ["Card number", number],
    ["Expiry", expiry],
    ["CVC", cvc],
  ] as const) {
    const field = form.getByLabel(label, { exact: true });
    await field.fill("");
    await field.pressSequentially(text);
  }
}

export async function pay(form: CheckoutForm, which: Card): Promise<void> {
  await typeCard(form, which);
  await pressPay(form);
}

/** After an iframe has moved, Chromium drops clicks into it for half a second and checks whether it's visible. */
const restMs = 700;

/**
 * Clicks something in the iframe once it has stopped moving. Like a customer, repeats a click that the browser dropped.
 */
export async function clickInFrame(target: Locator): Promise<void> {
  const received = await target.evaluateHandle((element) => {
    const clicks = { count: 0 };
    element.addEventListener("click", () => (clicks.count += 1), true);
    return clicks;
  });
  // If the page is gone, the click worked.
  const hasArrived = () => received.evaluate(({ count }) => count > 0).catch(() => true);
  for (let clicks = 0; clicks < 3; clicks++) {
    if (clicks > 0) await pause(restMs);
    await target.click();
    for (const until = Date.now() + 1_000; Date.now() < until; await pause(30)) if (await hasArrived()) return;
  }
  throw new Error("The browser dropped three clicks in the iframe.");
}

/**
 * Clicks Pay. On a busy machine the browser may report too late that Pay was visible. Then the form asks for a
 * confirmation, and this function confirms. Clicks on a hidden Pay are tested in
 * `page-security/redressing.chromium.spec.ts`.
 */
export async function pressPay(form: CheckoutForm): Promise<void> {
  await press(form, () => clickInFrame(form.getByTestId("oriel-pay")));
}

/**
 * Presses Pay by keyboard. If the tab wasn't in front, the browser may attribute its focus to the shop's page, and the
 * form asks for a confirmation.
 */
export async function pressEnter(form: CheckoutForm): Promise<void> {
  await press(form, () => form.getByTestId("oriel-cvc").press("Enter"));
}

async function press(form: CheckoutForm, how: () => Promise<void>): Promise<void> {
  const button = form.getByTestId("oriel-pay");
  const yes = form.getByTestId("oriel-once-more-pay");
  await expect(button).toBeEnabled();
  const before = await button.textContent();
  await how();
  // The payment is in progress if the button is busy (in any language) or gone. The press has no effect if it's already
  // over, or if a field is invalid.
  for (const until = Date.now() + 4_500; Date.now() < until; await pause(30)) {
    if (await yes.isVisible().catch(() => false)) return clickInFrame(yes);
    const [label] = await button.allTextContents().catch(() => []);
    if (label !== before) return;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * The bank's page, two iframes deeper than the checkout. The tab is brought to the front, because Firefox sometimes
 * opens a page without focusing it, and keys then go to the iframe above.
 *
 * @param origin of the bank's pages
 */
export async function bankPage(page: Page, origin: string = addresses.bank) {
  const isChallenge = (url: string) => url.startsWith(`${origin}/acs/challenge`);
  await expect
    .poll(() => page.frames().some((frame) => isChallenge(frame.url())), { message: "the bank's page is shown" })
    .toBe(true);
  const frame = page.frames().find((candidate) => isChallenge(candidate.url()));
  if (frame === undefined) throw new Error("The bank's iframe has disappeared");
  await page.bringToFront();
  return frame;
}

/**
 * Types one key at a time. In Firefox, Playwright's `fill` reaches the bank's page through `activeElement` and
 * `contentWindow` of the parent pages. If a test or an attack has replaced those, the input is silently lost.
 */
export async function completeChallenge(page: Page, code: string, origin: string = addresses.bank): Promise<void> {
  const bank = await bankPage(page, origin);
  await bank.getByLabel("Code").pressSequentially(code);
  await expect(bank.getByLabel("Code")).toHaveValue(code);
  await bank.getByRole("button", { name: "Submit" }).click();
}

/**
 * Expects the order page to say that the order is paid, which it does only after a verified webhook. The document
 * contains the headings of both states, and both are visible until the style sheet has loaded, so this checks the
 * status too.
 */
export async function expectPaid(page: Page): Promise<void> {
  const paid = page.locator('main[data-status="paid"], main [data-status="paid"]'); // in the app it's an inner element
  await expect(paid.getByRole("heading", { name: "Paid" })).toBeVisible();
}

interface OrderView {
  id: string;
  status: "open" | "paid" | "placed";
  failed_payments: number;
}

/** The shop's record of an order, which only its webhook handler changes. */
export async function orderOf(orderId: string): Promise<OrderView> {
  const response = await fetch(`${addresses.shopApi}/orders/${orderId}.json`);
  return (await response.json()) as OrderView; // from the shop
}
