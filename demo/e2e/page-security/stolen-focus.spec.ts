/**
 * A malicious page on an allowed origin moves the focus into the iframe and makes the customer press Enter. That Enter
 * doesn't pay: the form asks for a confirmation until the customer changes a card field or clicks in the iframe. In the
 * controls, honest pages move the focus there too.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards, clickInFrame, typeCard } from "../checkout.ts";
import { expectUnpaid } from "../hostile/attack-page.ts";
import { expectSessionPaid, formIn } from "../hosts/host-checkout.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { openSession } from "../hosts/sessions.ts";
import { countPayments } from "./attacked-form.ts";

/** How the host page moves the focus into the iframe, to the security code. */
const ways: Record<string, () => unknown> = {
  'focus("cvc")': () => window.checkout.focus("cvc"),
  "focus() after all input": () => window.checkout.focus(),
};

/**
 * Neither calls our code. It depends on the browser which of them returns the focus to the previously focused field.
 */
const ownWays: Record<string, () => unknown> = {
  "iframe.focus()": () => document.querySelector("iframe")?.focus(),
  "contentWindow.focus()": () => document.querySelector("iframe")?.contentWindow?.focus(),
};

async function typedAway(page: Page) {
  const { embedUrl, sessionId } = await openSession();
  const payments = countPayments(page);
  await page.goto(await pageAddress(appPage("esm", { embedUrl }, { body: '<button id="bait">Win</button>' })));
  const form = formIn(page);
  await typeCard(form, cards.approved);
  await page.locator("#bait").click();
  await expect(page.locator("#bait")).toBeFocused();
  return { sessionId, form, payments };
}

for (const [way, focus] of Object.entries(ways)) {
  test(`attack: after ${way}, Enter repeatedly pays nothing`, async ({ page }) => {
    const { sessionId, form, payments } = await typedAway(page);
    await page.evaluate(focus);
    await expect(page.locator("iframe")).toBeFocused();
    for (let times = 0; times < 2; times++) {
      await page.keyboard.press("Enter");
      await expect(form.locator(".once-more")).toBeVisible();
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      await expect(form.locator(".once-more")).toHaveCount(0);
    }
    expect(payments()).toBe(0);
    await expectUnpaid(sessionId);
  });

  test(`control: after ${way}, a customer who types the security code pays by Enter`, async ({ page }) => {
    const { sessionId, form } = await typedAway(page);
    await page.evaluate(focus);
    await expect(page.locator("iframe")).toBeFocused();
    await form.getByTestId("oriel-cvc").press("End");
    await page.keyboard.press("Backspace");
    await page.keyboard.type(cards.approved.cvc.slice(-1));
    await page.keyboard.press("Enter");
    await expectSessionPaid(sessionId);
  });
}

for (const [way, focus] of Object.entries(ownWays)) {
  test(`attack: after ${way}, Enter pays nothing`, async ({ page }) => {
    const { sessionId, form, payments } = await typedAway(page);
    await page.evaluate(focus);
    await expect(page.locator("iframe")).toBeFocused();
    for (let times = 0; times < 2; times++) {
      await page.keyboard.press("Enter");
      // A key takes a moment to reach an iframe in another process. A press that pays changes the button at once.
      await page.waitForTimeout(200);
      await expect(form.getByTestId("oriel-pay")).toHaveText(/^Pay/);
    }
    expect(payments()).toBe(0);
    await expectUnpaid(sessionId);
  });
}

test("control: after the page moves the focus, a customer who clicks into a field pays by Enter", async ({ page }) => {
  const { sessionId, form } = await typedAway(page);
  await page.evaluate(() => window.checkout.focus("cvc"));
  await clickInFrame(form.getByTestId("oriel-cvc"));
  await page.keyboard.press("Enter");
  await expectSessionPaid(sessionId);
});

test("control: a customer can confirm and pay by keyboard alone", async ({ page }) => {
  const { sessionId, form } = await typedAway(page);
  await page.evaluate(() => window.checkout.focus("cvc"));
  await expect(page.locator("iframe")).toBeFocused();
  await page.keyboard.press("Enter");
  const yes = form.getByTestId("oriel-once-more-pay");
  await expect(yes).toBeEnabled();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(yes).toBeFocused();
  await page.keyboard.press("Enter");
  await expectSessionPaid(sessionId);
});
