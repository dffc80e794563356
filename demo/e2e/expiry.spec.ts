/** An iframe that loads a renewed session adds no entry to the history, which each browser keeps in its own way. */
import { expect, test } from "@playwright/test";
import { openRenewingPage, passTime } from "./expiring-page.ts";
import { expectReceived } from "./hosts/host-checkout.ts";
import { expireSession } from "./hosts/sessions.ts";
import { addresses } from "./urls.ts";

test("a renewed session adds no history entry", async ({ page }) => {
  await page.clock.install();
  const first = await openRenewingPage(page);
  const before = await page.evaluate(() => history.length);
  await expireSession(first);
  await passTime(page, first, "01:01:00", 61);
  await expectReceived(page, "ready", 2);
  expect(await page.evaluate(() => history.length)).toBe(before);
  expect(page.url()).toContain(addresses.hosts);
});
