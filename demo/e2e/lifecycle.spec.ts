/**
 * A page that makes the browser load its checkout again: it removes and reinserts the container, or the customer leaves
 * and returns. When and how the iframe reloads depends on the browser.
 */
import { expect, test } from "@playwright/test";
import {
  countFrameLoads,
  expectReceived,
  received,
  payInEmptyForm,
  formIn,
  typeNumber,
} from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

test("a container that is removed and reinserted shows an empty form that is ready to use", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  const loads = countFrameLoads(page);
  await page.goto(await pageAddress(appPage("esm", { embedUrl })));
  const form = formIn(page);
  await typeNumber(form);
  await page.evaluate(() => {
    const container = document.querySelector("#app");
    container?.remove();
    if (container) setTimeout(() => document.body.append(container), 50);
  });
  await expectReceived(page, "ready", 2);
  expect(loads()).toBe(2);
  await payInEmptyForm(form, sessionId);
  await expectReceived(page, "complete");
  expect(await received(page, "error")).toEqual([]);
});

test("after leaving the page and returning with Back, the form is empty and takes a payment", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl })));
  await typeNumber(formIn(page));
  await page.goto(await pageAddress({ body: "<h1>Another page</h1>" }));
  await page.goBack();

  // Whether the browser kept the page in memory or reloaded it, the form must not contain a card.
  await payInEmptyForm(formIn(page), sessionId);
  expect(await received(page, "error")).toEqual([]);
});
