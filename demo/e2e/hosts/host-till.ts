/**
 * What a customer does, and what is to be seen, on a host page. The service's own record is the proof of a payment; a
 * page's word is not.
 */
import { expect, type FrameLocator, type Page, type Request } from "@playwright/test";
import { addresses } from "../addresses.ts";
import { answerChallenge, cards, pay, type Card, type Till } from "../checkout.ts";
import { countRequests } from "../count-requests.ts";
import { sessionOf } from "./sessions.ts";

/** The frame of Oriel's in the page, also in a shadow tree. */
export function tillIn(page: Page, within = "body"): FrameLocator {
  return page.locator(`${within} iframe[src^="${addresses.checkout}/c/"]`).contentFrame();
}

/** Counts loads of the checkout page in frames from now on. */
export function countFrameLoads(page: Page): () => number {
  const isLoad = (request: Request) =>
    request.isNavigationRequest() && request.url().startsWith(`${addresses.checkout}/c/`);
  return countRequests(page, isLoad);
}

/** Waits until the form can be used. */
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

/** Types a number and nothing else, where all that matters is that something was typed. */
export async function typeNumber(till: Till): Promise<void> {
  await expectReady(till);
  await till.getByTestId("oriel-number").pressSequentially("424242");
  await expect(till.getByTestId("oriel-number")).not.toHaveValue("");
}

export async function payAndPassChallenge(page: Page, till: Till): Promise<void> {
  await pay(till, cards.challenge);
  await answerChallenge(page, "111111");
}

export async function expectSessionPaid(sessionId: string): Promise<void> {
  await expect
    .poll(async () => (await sessionOf(sessionId)).payment_status, {
      message: "the service says paid",
      timeout: 20_000,
    })
    .toBe("paid");
}

/** The form of a new load: it stands empty, and a customer pays in it. */
export async function payInEmptyForm(till: Till, sessionId: string): Promise<void> {
  await expectReady(till);
  await expectEmpty(till);
  await pay(till, cards.approved);
  await expectSessionPaid(sessionId);
}

/** What the page's app was told, by type. */
export async function heard<T = Record<string, unknown>>(page: Page, type: string): Promise<T[]> {
  const events = await page.evaluate((wanted) => window.heard.filter(({ type }) => type === wanted), type);
  return events.map(({ detail }) => detail as T); // the app's own record
}

/** Waits until the page's app was told so many events of the type. */
export async function expectHeard(page: Page, type: string, count = 1): Promise<void> {
  await expect.poll(async () => (await heard(page, type)).length, { message: `${type} was told` }).toBe(count);
}
