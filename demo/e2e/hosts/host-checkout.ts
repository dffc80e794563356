/** What a customer does and sees on a host page. Only the service's record proves a payment, never a page. */
import { expect, type FrameLocator, type Page, type Request } from "@playwright/test";
import { completeChallenge, cards, pay, type Card, type CheckoutForm } from "../checkout.ts";
import { countRequests } from "../count-requests.ts";
import { addresses } from "../urls.ts";
import "./apps/host-window.ts"; // declares the globals of its pages
import { appPage, type HostPage, pageAddress } from "./host-page.ts";
import { openSession, sessionOf, type SessionFields } from "./sessions.ts";

/** Our iframe in the page, also in a shadow tree. */
export function formIn(page: Page, within = "body"): FrameLocator {
  return page.locator(`${within} iframe[src^="${addresses.checkout}/c/"]`).contentFrame();
}

/** Starts counting loads of the checkout page in iframes. */
export function countFrameLoads(page: Page): () => number {
  const isLoad = (request: Request) =>
    request.isNavigationRequest() && request.url().startsWith(`${addresses.checkout}/c/`);
  return countRequests(page, isLoad);
}

/** Waits until the form is usable. */
export async function expectReady(form: CheckoutForm): Promise<void> {
  await expect(form.getByTestId("oriel-pay")).toBeEnabled();
}

export async function expectEmpty(form: CheckoutForm): Promise<void> {
  for (const field of ["oriel-number", "oriel-expiry", "oriel-cvc"])
    await expect(form.getByTestId(field)).toHaveValue("");
}

export async function expectTyped(form: CheckoutForm, card: Card): Promise<void> {
  const digits = async (field: string) => (await form.getByTestId(field).inputValue()).replace(/\D/g, "");
  expect(await digits("oriel-number")).toBe(card.number);
  expect(await digits("oriel-expiry")).toBe(card.expiry);
  expect(await digits("oriel-cvc")).toBe(card.cvc);
}

/** Types only a card number, for tests that just need some input. */
export async function typeNumber(form: CheckoutForm): Promise<void> {
  await expectReady(form);
  await form.getByTestId("oriel-number").pressSequentially("424242");
  await expect(form.getByTestId("oriel-number")).not.toHaveValue("");
}

/** Opens a host page with the form of a new session. */
export async function openHostCheckout(
  page: Page,
  fields: SessionFields = {},
): Promise<{ form: CheckoutForm; sessionId: string }> {
  const { embedUrl, sessionId } = await openSession(fields);
  await page.goto(await pageAddress(appPage("esm", { embedUrl, locale: "en" })));
  const form = formIn(page);
  await expectReady(form);
  return { form, sessionId };
}

export async function payAndPassChallenge(page: Page, form: CheckoutForm): Promise<void> {
  await pay(form, cards.challenge);
  await completeChallenge(page, "111111");
}

/** Pays with a challenge, and expects that this loads the iframe only once. */
export async function payWithOneLoad(page: Page, pageFor: (embedUrl: string) => HostPage): Promise<void> {
  const { sessionId, embedUrl } = await openSession();
  const loads = countFrameLoads(page);
  await page.goto(await pageAddress(pageFor(embedUrl)));
  await payAndPassChallenge(page, formIn(page));
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
export async function payInEmptyForm(form: CheckoutForm, sessionId: string): Promise<void> {
  await expectReady(form);
  await expectEmpty(form);
  await pay(form, cards.approved);
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
