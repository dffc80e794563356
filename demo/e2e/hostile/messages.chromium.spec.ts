/**
 * Controls for `messages.spec.ts`: its pages without their attacks. Also events that the shop's own page forges, whose
 * effect depends only on our code.
 */
import { expect, test } from "@playwright/test";
import { cards, frameOf, goToForm, pay } from "../checkout.ts";
import { countPayments } from "../page-security/attacked-form.ts";
import { addresses } from "../urls.ts";
import { expectPaidHere, expectUnpaid, openAttack } from "./attack-page.ts";

for (const name of ["posts-to-the-frame", "posts-to-the-host", "sibling-frame", "flood"]) {
  test(`control: without an attack, the page ${name} takes a payment`, async ({ page }) => {
    const { sessionId } = await openAttack(page, name, { attack: false, values: { advertisement: "" } });
    await pay(frameOf(page), cards.approved);
    await expectPaidHere(page, sessionId);
    expect(await page.evaluate(() => "replies" in window)).toBe(false);
  });
}

test(
  "a complete event that the page forges doesn't pay the session, but a payment does",
  { tag: "@quick" },
  async ({ page }) => {
    const payments = countPayments(page);
    const { sessionId } = await openAttack(page, "posts-to-the-host", { attack: true });
    await page.evaluate((id) => {
      const { onComplete } = window as unknown as { onComplete(detail: object): void }; // scripts/receive.js
      onComplete({ sessionId: id, status: "complete", returnUrl: null });
      document
        .querySelector(".checkout")
        ?.dispatchEvent(new CustomEvent("oriel-complete", { bubbles: true, detail: { sessionId: id } }));
    }, sessionId);
    await expectUnpaid(sessionId);
    await page.evaluate(() => Reflect.set(window, "received", []));
    await pay(frameOf(page), cards.approved);
    await expectPaidHere(page, sessionId);
    expect(payments()).toBe(1);
  },
);

test("a forged complete event in the shop's page doesn't pay the order", { tag: "@quick" }, async ({ page }) => {
  await goToForm(page, "script");
  const orderUrl = await page.locator("[data-order-url]").getAttribute("data-order-url");
  await page.evaluate(() => {
    window.postMessage({ type: "oriel:complete", sessionId: "cs_forged", status: "complete" }, location.origin);
    // Calls the callback that the page's snippet names.
    const { onPaid } = window as unknown as { onPaid(event: object): void };
    onPaid({ sessionId: "cs_forged", status: "complete", returnUrl: null });
  });
  // The page's callback believed it and navigated to the order, which isn't paid.
  await page.waitForURL(`${addresses.shop}${orderUrl}`);
  await expect(page.getByRole("heading", { name: "Waiting for confirmation" })).toBeVisible();
  const order = (await (await fetch(`${addresses.shopApi}${orderUrl}.json`)).json()) as { status: string };
  expect(order.status).toBe("open");
});
