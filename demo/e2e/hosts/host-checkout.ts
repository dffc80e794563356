/** What a customer does and sees on a host page. Only the service's record proves a payment, never a page. */
import { expect, type FrameLocator, type Page, type Request } from "@playwright/test";
import { answerChallenge, cards, pay, type Card, type Till } from "../checkout.ts";
import { countRequests } from "../count-requests.ts";
import { addresses } from "../urls.ts";
import "./apps/host-window.ts"; // declares the globals of its pages
import { type HostPage, pageAddress } from "./host-page.ts";
import { openSession, sessionOf } from "./sessions.ts";

/** Our iframe in the page, also in a shadow tree. */
export function tillIn(page: Page, within = "body"): FrameLocator {
  return page.locator(`${within} iframe[src^="${addresses.checkout}/c/"]`).contentFrame();
}

/** Starts counting loads of the checkout page in iframes. */
export function countFrameLoads(page: Page): () => number {
  const isLoad = (request: Request) =>
    request.isNavigationRequest() && request.url().startsWith(`${addresses.checkout}/c/`);
  return countRequests(page, isLoad);
}

/** Waits until the form is usable. */
export async function expectReady(till: Till): Promise<void> {
  await expect(till.getByTestId("oriel-pay")).toBeEnabled();
}

export async function expectEmpty(till: Till): Promise<void> {
  for (const field of ["oriel-number", "oriel-expiry", "oriel-cvc"])
    await expect(till.getByTestId(field)).toHaveValue("");
}

export async function expectTyped(till: Till, card: Card): Promise<void> {
  const digits = async (field: string) => (await till.getByTestId(field).inputValue()).replace(/\D/g, "");
  expect(await digits("oriel-number")).toBe(card.number);
  expect(await digits("oriel-expiry")).toBe(card.expiry);
  expect(await digits("oriel-cvc")).toBe(card.cvc);
}

/** Types only a card number, for tests that just need some input. */
export async function typeNumber(till: Till): Promise<void> {
  await expectReady(till);
  await till.getByTestId("oriel-number").pressSequentially("424242");
  await expect(till.getByTestId("oriel-number")).not.toHaveValue("");
}

export async function payAndPassChallenge(page: Page, till: Till): Promise<void> {
  await pay(till, cards.challenge);
  await answerChallenge(page, "111111");
}

/** Pays with a challenge, and expects that this loads the iframe only once. */
export async function payWithOneLoad(page: Page, pageFor: (embedUrl: string) => HostPage): Promise<void> {
  const { sessionId, embedUrl } = await openSession();
  const loads = countFrameLoads(page);
  await page.goto(await pageAddress(pageFor(embedUrl)));
  await payAndPassChallenge(page, tillIn(page));
  await expectSessionPaid(sessionId);
  expect(loads()).toBe(1);
}

export async function expectSessionPaid(sessionId: string): Promise<void> {
  await expect
    .poll(async () => (await sessionOf(sessionId)).payment_status, {
      message: "the service says paid",
      timeout: 20_000,
    })
    .toBe("paid");
}

/** Expects an empty form after a new load, and pays with it. */
export async function payInEmptyForm(till: Till, sessionId: string): Promise<void> {
  await expectReady(till);
  await expectEmpty(till);
  await pay(till, cards.approved);
  await expectSessionPaid(sessionId);
}

/** Events of a type that the page's app received. */
export async function received<T = Record<string, unknown>>(page: Page, type: string): Promise<T[]> {
  const events = await page.evaluate((wanted) => window.received.filter(({ type }) => type === wanted), type);
  return events.map(({ detail }) => detail as T); // recorded by the app
}

/** Waits until the page's app received this many events of the type. */
export async function expectReceived(page: Page, type: string, count = 1): Promise<void> {
  await expect.poll(async () => (await received(page, type)).length, { message: `${type} was reported` }).toBe(count);
}
