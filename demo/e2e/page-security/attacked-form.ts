/**
 * A host page with a filled-in card, where an attacker gets one real click at the position of Pay, and the result of
 * that click.
 */
import { expect, type Frame, type Page, type Request } from "@playwright/test";
import { cards, clickInFrame, pay, typeCard, type CheckoutForm } from "../checkout.ts";
import { countRequests } from "../count-requests.ts";
import { expectSessionPaid, formIn } from "../hosts/host-checkout.ts";
import { markup, pageAddress, scriptTag } from "../hosts/host-page.ts";
import { openSession, sessionOf } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";

/**
 * What the host page does after the card is filled in. It gets the iframe's container and the position of Pay's center
 * in it, in pixels.
 */
export type Dressing = (box: HTMLElement, payMiddle: number) => void;

export interface TypedForm {
  sessionId: string;
  frame: Frame;
  payments: () => number;
}

export async function typedForm(page: Page, dressing: Dressing): Promise<TypedForm> {
  const { embedUrl, sessionId } = await openSession();
  const payments = countPayments(page);
  await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl) }));
  await typeCard(formIn(page), cards.approved);
  const frame = await checkoutFrame(page);
  const payMiddle = await frame.getByTestId("oriel-pay").evaluate((pay) => {
    const { top, height } = pay.getBoundingClientRect();
    return top + height / 2;
  });
  await page.locator("#checkout").evaluate(dressing, payMiddle);
  await untilClickable(page);
  return { sessionId, frame, payments };
}

/**
 * Waits until Chromium no longer drops clicks into an iframe that has moved, which takes half a second. Our own
 * half-second delay passes as well.
 */
export async function untilClickable(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let drawn = 0; drawn < 2; drawn++) await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  });
}

export async function checkoutFrame(page: Page): Promise<Frame> {
  const frame = await (await page.locator("iframe").elementHandle())?.contentFrame();
  if (!frame) throw new Error("The page has no iframe");
  return frame;
}

export function countPayments(page: Page): () => number {
  const isPayment = (request: Request) =>
    request.method() === "POST" && new URL(request.url()).pathname.endsWith("/payments");
  return countRequests(page.context(), isPayment);
}

/** Clicks with the mouse at the position of the button on the screen, whatever covers or distorts the iframe. */
export async function clickOn(page: Page, frame: Frame, button: string): Promise<void> {
  const outer = await page.locator("iframe").evaluate((element: HTMLElement) => {
    const { left, top, width } = element.getBoundingClientRect();
    return { left, top, scale: width / element.offsetWidth };
  });
  const inner = await frame.getByTestId(button).evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: Math.min(top + height / 2, innerHeight - 4) };
  });
  await page.mouse.click(outer.left + inner.x * outer.scale, outer.top + inner.y * outer.scale);
}

export const clickOnPay = (page: Page, frame: Frame): Promise<void> => clickOn(page, frame, "oriel-pay");

/** Covers a corner of Pay with a small element of the host page, as a chat button may. */
export async function coverCorner(page: Page, form: CheckoutForm | Frame): Promise<void> {
  const box = await form.getByTestId("oriel-pay").boundingBox();
  await page.evaluate(
    ([left, top]) => {
      const chat = document.createElement("div");
      chat.style.cssText = `position:fixed;left:${left}px;top:${top}px;width:8px;height:8px;z-index:9;background:#06c`;
      document.body.append(chat);
    },
    [box!.x + 12, box!.y + 12],
  );
}

/**
 * Confirms if the form asks for it. Otherwise the payment is already in progress. If the browser says that the
 * confirmation isn't visible either, the customer pays on the full page.
 */
export async function payOnceMore(page: Page, frame: Frame, sessionId: string): Promise<void> {
  const yes = frame.getByTestId("oriel-once-more-pay");
  const isPaid = async () => (await sessionOf(sessionId)).payment_status === "paid";
  await expect.poll(async () => (await yes.isVisible()) || (await isPaid())).toBe(true);
  if (await yes.isVisible()) await clickInFrame(yes);
  const isOnFullPage = () => page.url().startsWith(addresses.checkout);
  await expect.poll(async () => isOnFullPage() || (await isPaid())).toBe(true);
  if (isOnFullPage()) await pay(page, cards.approved);
  await expectSessionPaid(sessionId);
}
