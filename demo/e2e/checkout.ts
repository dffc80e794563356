/** What a customer does at the till, whichever way the shop has built it in. */
import { expect, type FrameLocator, type Page } from "@playwright/test";
import { addresses } from "./addresses.ts";

export type Way = "script" | "app" | "redirect";
export const ways: readonly Way[] = ["script", "app", "redirect"];

export interface Card {
  number: string;
  expiry: string;
  cvc: string;
}

const year = String((new Date().getFullYear() + 3) % 100);
const card = (number: string): Card => ({ number, expiry: `12${year}`, cvc: "123" });

/** The sandbox bank's published test cards. */
export const cards = {
  approved: card("4242424242424242"),
  declined: card("4000000000000002"),
  insufficientFunds: card("4000000000009995"),
  frictionless: card("4000000032200000"),
  challenge: card("4000002760003184"),
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
  await till.getByRole("button", { name: /^Pay/ }).click();
}

/** The bank's page, two frames below the till. */
export async function bankPage(page: Page) {
  const isChallenge = (url: string) => url.startsWith(`${addresses.bank}/acs/challenge`);
  await expect
    .poll(() => page.frames().some((frame) => isChallenge(frame.url())), { message: "the bank's page is shown" })
    .toBe(true);
  const frame = page.frames().find((candidate) => isChallenge(candidate.url()));
  if (frame === undefined) throw new Error("The bank's frame is gone again");
  return frame;
}

/**
 * Key by key too: in Firefox, Playwright's `fill` finds its way down to the bank's page by `activeElement` and `contentWindow` of the pages above, and
 * where a test or an attack has put something else there, what it fills is lost without a word.
 */
export async function answerChallenge(page: Page, code: string): Promise<void> {
  const bank = await bankPage(page);
  await bank.getByLabel("Code").pressSequentially(code);
  await expect(bank.getByLabel("Code")).toHaveValue(code);
  await bank.getByRole("button", { name: "Submit" }).click();
}

/** The order page says paid, and so does the shop's own record; both only after a verified webhook. */
export async function expectPaid(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { name: "Paid" })).toBeVisible();
}

export interface OrderView {
  id: string;
  status: "open" | "paid";
  failed_payments: number;
}

/** The shop's record of an order, which only its webhook handler changes. */
export async function orderOf(orderId: string): Promise<OrderView> {
  const response = await fetch(`${addresses.shopApi}/orders/${orderId}.json`);
  return (await response.json()) as OrderView; // the shop's own answer
}
