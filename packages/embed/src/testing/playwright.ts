/**
 * For tests with Playwright, which this file does not import: it is handed a page. Only in test mode, with the sandbox
 * bank's cards.
 *
 * They work wherever the form stands: in the page, in an open shadow root, in a dialog, or in the whole window after a
 * redirect. What the page shows proves no payment: let your test look at what your own server learned from the webhook.
 */
import { bankCodes, fieldsOf, type TestCard, type TestCardName } from "./test-cards.ts";
import { byTestId, frames } from "./test-ids.ts";

/** What these use of Playwright's `Locator`. */
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

/** Playwright's `Page`, or a `FrameLocator` in which the shop's page stands. */
export interface PageLike {
  locator(selector: string): LocatorLike;
}

interface Wait {
  /** How long to wait for the page, in milliseconds. Default 30 000. */
  timeout?: number;
}

/**
 * Types a card into the form, key by key as a customer does. It does not press Pay: see {@link pay}.
 *
 * @example await fillCard(page, "visa_3ds_challenge"); await pay(page); await completeChallenge(page, "approve");
 * @throws TypeError for a card that has no such name; Error when no form is there in time.
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
 * Presses the form's own Pay, when it can be pressed. By the keyboard: a click counts only where Pay has been in sight
 * and in its place for half a second, which a test that scrolls and clicks at once does not wait for.
 */
export async function pay(page: PageLike, wait: Wait = {}): Promise<void> {
  const form = await pageWith(page, byTestId("pay"), wait);
  await form.locator(`${byTestId("pay")}:enabled`).press("Enter");
}

/**
 * Answers the sandbox bank: `approve` and `reject` type its codes, `cancel` gives the challenge up on the bank's page.
 *
 * @throws Error when the bank does not ask in time.
 */
export async function completeChallenge(
  page: PageLike,
  answer: "approve" | "reject" | "cancel",
  wait: Wait = {},
): Promise<void> {
  const checkout = await pageWith(page, frames.runner, wait);
  const bank = checkout.locator(frames.runner).last().contentFrame().locator(frames.bank).last().contentFrame();
  const button = bank.locator(`button[value="${answer === "cancel" ? "cancel" : "submit"}"]`);
  await button.waitFor({ state: "visible", ...wait });
  if (answer !== "cancel") await bank.locator("#code").fill(bankCodes[answer]);
  await button.click();
}

/** What the page says at the end, in the customer's language. It may be that nothing was paid. */
export async function resultText(page: PageLike, wait: Wait = {}): Promise<string> {
  const checkout = await pageWith(page, byTestId("result"), wait);
  return checkout.locator(byTestId("result")).innerText();
}

/** Oriel's page, in which `selector` is visible: the page itself, or the frame in it. */
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
