/**
 * Helpers for Playwright, which are passed a page instead of importing it. Only for test mode, with the sandbox bank's
 * cards.
 *
 * They work wherever the form is shown: in the page, in an open shadow root, in a dialog or in the whole window after a
 * redirect. The page doesn't prove a payment, so also check what your server learned from the webhook.
 */
import { bankCodes, fieldsOf, type TestCard, type TestCardName } from "./test-cards.ts";
import { byTestId, frames } from "./test-ids.ts";

/** The part of Playwright's `Locator` that the helpers use. */
export interface LocatorLike {
  locator(selector: string): LocatorLike;
  last(): LocatorLike;
  contentFrame(): { locator(selector: string): LocatorLike };
  waitFor(options: { state: "visible"; timeout?: number }): Promise<void>;
  fill(text: string): Promise<void>;
  pressSequentially(text: string): Promise<void>;
  click(): Promise<void>;
  press(key: string): Promise<void>;
  innerText(): Promise<string>;
}

/** Playwright's `Page`, or a `FrameLocator` that contains the shop's page. */
export interface PageLike {
  locator(selector: string): LocatorLike;
}

interface Wait {
  /** How long to wait for the page, in milliseconds. Default 30,000. */
  timeout?: number;
}

/**
 * Types a card into the form key by key, like a customer. It doesn't press Pay; see {@link pay}.
 *
 * @example
 * await fillCard(page, "visa_3ds_challenge");
 * await pay(page);
 * await completeChallenge(page, "approve");
 * @throws TypeError for an unknown card name
 * @throws Error if no form is shown in time
 */
export async function fillCard(page: PageLike, card: TestCardName | TestCard, wait: Wait = {}): Promise<void> {
  const fields = fieldsOf(card);
  const form = await pageWith(page, byTestId("number"), wait);
  for (const [name, text] of fields) {
    const field = form.locator(byTestId(name));
    await field.fill("");
    await field.pressSequentially(text);
  }
}

/**
 * Presses the form's Pay button when it's enabled. It uses the keyboard, because Chromium drops clicks in the form while
 * the page is moving it, for example while the test scrolls.
 */
export async function pay(page: PageLike, wait: Wait = {}): Promise<void> {
  const form = await pageWith(page, byTestId("pay"), wait);
  await form.locator(`${byTestId("pay")}:enabled`).press("Enter");
}

/**
 * Completes the sandbox bank's challenge by entering the code for `answer`.
 *
 * @throws Error if no challenge is shown in time
 */
export async function completeChallenge(
  page: PageLike,
  answer: keyof typeof bankCodes,
  wait: Wait = {},
): Promise<void> {
  const checkout = await pageWith(page, frames.runner, wait);
  const bank = checkout.locator(frames.runner).last().contentFrame().locator(frames.bank).last().contentFrame();
  const button = bank.locator('button[value="submit"]');
  await button.waitFor({ state: "visible", ...wait });
  await bank.locator("#code").fill(bankCodes[answer]);
  await button.click();
}

/** Returns the text of the result page in the customer's language. The payment may have failed, so check the text. */
export async function resultText(page: PageLike, wait: Wait = {}): Promise<string> {
  const checkout = await pageWith(page, byTestId("result"), wait);
  return checkout.locator(byTestId("result")).innerText();
}

/** The place where `selector` is visible: the page itself or the checkout's iframe. */
async function pageWith(page: PageLike, selector: string, { timeout = 30_000 }: Wait): Promise<PageLike> {
  const places = [page, page.locator(frames.checkout).last().contentFrame()];
  const visible = { state: "visible", timeout } as const;
  try {
    return await Promise.any(
      places.map(async (place) => {
        await place.locator(selector).last().waitFor(visible);
        return place;
      }),
    );
  } catch (error) {
    throw new Error(`Oriel: no ${selector} was shown within ${timeout} ms.`, { cause: error });
  }
}
