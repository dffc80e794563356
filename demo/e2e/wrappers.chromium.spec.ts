/**
 * Components re-render, and their screens are removed and reinserted. A customer's input survives a re-render. An
 * iframe that was removed from the document loads again with an empty form, because browsers don't keep removed
 * iframes.
 */
import { expect, test } from "@playwright/test";
import { cards, typeCard, pressPay } from "./checkout.ts";
import {
  countFrameLoads,
  expectReceived,
  expectSessionPaid,
  expectTyped,
  received,
  payInEmptyForm,
  formIn,
  typeNumber,
} from "./hosts/host-checkout.ts";
import { appPage, type HostApp, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

const wrappers: { name: string; app: HostApp; options: object }[] = [
  { name: "React in StrictMode", app: "react", options: {} },
  { name: "Vue", app: "vue", options: {} },
  { name: "Vue with keep-alive", app: "vue", options: { keepAlive: true } },
  { name: "Svelte's action", app: "svelte", options: {} },
  { name: "Svelte's attachment", app: "svelte", options: { attached: true } },
];

for (const { name, app, options } of wrappers) {
  test.describe(name, () => {
    test("keeps the input when its parent re-renders, and calls the newest callback", async ({ page }) => {
      const { sessionId, embedUrl } = await openSession();
      const loads = countFrameLoads(page);
      await page.goto(await pageAddress(appPage(app, { ...options, embedUrl })));
      const form = formIn(page);
      await typeCard(form, cards.approved);

      for (let times = 0; times < 3; times++) await page.getByRole("button", { name: "Render again" }).click();
      await expect(page.locator("output")).toHaveText("3");
      await expectTyped(form, cards.approved);
      await pressPay(form);

      await expectReceived(page, "complete");
      expect(await received(page, "complete")).toMatchObject([{ sessionId, renders: 3 }]);
      await expectSessionPaid(sessionId);
      expect(loads()).toBe(1);
      expect(await received(page, "error")).toEqual([]);
    });

    test("is removed with its screen and comes back empty and ready", async ({ page }) => {
      const { sessionId, embedUrl } = await openSession();
      const loads = countFrameLoads(page);
      await page.goto(await pageAddress(appPage(app, { ...options, embedUrl })));
      const form = formIn(page);
      await typeNumber(form);

      await page.getByRole("button", { name: "Leave checkout" }).click();
      await expect(page.getByText("Another screen")).toBeVisible();
      await expect(page.locator("iframe")).toHaveCount(0);
      await page.getByRole("button", { name: "Back to checkout" }).click();
      await expectReceived(page, "ready", 2);
      expect(loads()).toBe(2);
      await payInEmptyForm(form, sessionId);
      await expectReceived(page, "complete");
      expect(await received(page, "error")).toEqual([]);
    });

    test("shows another session when its prop changes", async ({ page }) => {
      const first = await openSession();
      const second = await openSession();
      await page.goto(
        await pageAddress(appPage(app, { ...options, embedUrl: first.embedUrl, otherEmbedUrl: second.embedUrl })),
      );
      const form = formIn(page);
      await typeNumber(form);
      await page.getByRole("button", { name: "Another order" }).click();
      await expect(page.locator(`iframe[src*="${second.sessionId}"]`)).toBeVisible();
      await expect(page.locator("iframe")).toHaveCount(1);
      await payInEmptyForm(form, second.sessionId);
      expect(await received(page, "error")).toEqual([]);
    });
  });
}
