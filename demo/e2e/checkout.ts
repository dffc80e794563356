/** What a customer does at the till, whichever way the shop has built it in. */
import { expect, type FrameLocator, type Locator, type Page } from "@playwright/test";
import { testCards } from "@oriel/protocol/test-cards";
import { addresses } from "./addresses.ts";

export type Way = "script" | "app" | "redirect";
export const ways: readonly Way[] = ["script", "app", "redirect"];

export interface Card {
  number: string;
  expiry: string;
  cvc: string;
}

const year = String((new Date().getFullYear() + 3) % 100);
/** A card of this number, with an expiry and a code that fit. */
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

/** The till: a page of Oriel's in the shop's page, or in the whole window. */
export type Till = Page | FrameLocator;

/** Walks from the shop's front page to the till. */
export async function goToTill(page: Page, way: Way): Promise<Till> {
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

/** The frame in a page that holds it as the shop does: in `.checkout`. */
export function frameOf(page: Page): FrameLocator {
  return page.locator(".checkout iframe").contentFrame();
}

/** Types key by key, as a person does. */
export async function typeCard(till: Till, { number, expiry, cvc }: Card): Promise<void> {
  await expect(till.getByRole("button", { name: /^Pay/ })).toBeEnabled();
  for (const [label, text] of [
    ["Card number", number],
    ["Expiry", expiry],
    ["CVC", cvc],
  ] as const) {
    const field = till.getByLabel(label, { exact: true });
    await field.fill("");
    await field.pressSequentially(text);
  }
}

export async function pay(till: Till, which: Card): Promise<void> {
  await typeCard(till, which);
  await pressPay(till);
}

/** For half a second, Chromium drops clicks into an iframe that has moved and watches whether it is seen. */
const restMs = 700;

/**
 * A click on something in the iframe that arrives: one that the browser dropped is made again, as a customer makes it,
 * once the iframe has come to rest.
 */
export async function clickInFrame(target: Locator): Promise<void> {
  const heard = await target.evaluateHandle((element) => {
    const clicks = { count: 0 };
    element.addEventListener("click", () => (clicks.count += 1), true);
    return clicks;
  });
  // A page that is gone has gone by the click.
  const hasArrived = () => heard.evaluate(({ count }) => count > 0).catch(() => true);
  for (let clicks = 0; clicks < 3; clicks++) {
    if (clicks > 0) await pause(restMs);
    await target.click();
    for (const until = Date.now() + 1_000; Date.now() < until; await pause(30)) if (await hasArrived()) return;
  }
  throw new Error("The browser dropped three clicks in the iframe.");
}

/**
 * A click on Pay. On a busy machine the browser may not say in time that Pay was seen: then the customer is asked once
 * more, and says yes. What becomes of clicks on a Pay that is hidden is `page-security/redressing.chromium.spec.ts`'s.
 */
export async function pressPay(till: Till): Promise<void> {
  await press(till, () => clickInFrame(till.getByTestId("oriel-pay")));
}

/**
 * The same by the keyboard. Where the tab was not in front, the browser may take its focus for the shop's doing, and
 * the form asks once more.
 */
export async function pressEnter(till: Till): Promise<void> {
  await press(till, () => till.getByTestId("oriel-cvc").press("Enter"));
}

async function press(till: Till, how: () => Promise<void>): Promise<void> {
  const button = till.getByTestId("oriel-pay");
  const yes = till.getByTestId("oriel-once-more-pay");
  await expect(button).toBeEnabled();
  const before = await button.textContent();
  await how();
  // Busy, which its words say in any language, or gone: the payment is under way. A press that is over already, or that
  // a field refused, leads to nothing more.
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
 * The bank's page, two frames below the till. In front, as a customer has it: now and then Firefox opens a page without
 * giving it the focus, and then keys for the bank's page stay in the frame above.
 */
export async function bankPage(page: Page) {
  const isChallenge = (url: string) => url.startsWith(`${addresses.bank}/acs/challenge`);
  await expect
    .poll(() => page.frames().some((frame) => isChallenge(frame.url())), { message: "the bank's page is shown" })
    .toBe(true);
  const frame = page.frames().find((candidate) => isChallenge(candidate.url()));
  if (frame === undefined) throw new Error("The bank's frame is gone again");
  await page.bringToFront();
  return frame;
}

/**
 * Key by key too: in Firefox, Playwright's `fill` finds its way down to the bank's page by `activeElement` and
 * `contentWindow` of the pages above, and where a test or an attack has put something else there, what it fills is lost
 * without a word.
 */
export async function answerChallenge(page: Page, code: string): Promise<void> {
  const bank = await bankPage(page);
  await bank.getByLabel("Code").pressSequentially(code);
  await expect(bank.getByLabel("Code")).toHaveValue(code);
  await bank.getByRole("button", { name: "Submit" }).click();
}

/**
 * The order page says that the order is paid, which it does only after a verified webhook. Its headings for both states
 * are in the document, and both are visible until the stylesheet has loaded, so the status counts too.
 */
export async function expectPaid(page: Page): Promise<void> {
  const paid = page.locator('main[data-status="paid"], main [data-status="paid"]'); // the app's page has it inside
  await expect(paid.getByRole("heading", { name: "Paid" })).toBeVisible();
}

interface OrderView {
  id: string;
  status: "open" | "paid";
  failed_payments: number;
}

/** The shop's record of an order, which only its webhook handler changes. */
export async function orderOf(orderId: string): Promise<OrderView> {
  const response = await fetch(`${addresses.shopApi}/orders/${orderId}.json`);
  return (await response.json()) as OrderView; // the shop's own answer
}
