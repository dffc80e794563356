/**
 * The random ID by which the service recognizes a returning customer. The iframe keeps it in its own storage, so the
 * shop's page can't read it, and browsers keep a separate storage for each shop's site.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards, expectPaid, goToForm, pay } from "./checkout.ts";
import { expectReady, formIn } from "./hosts/host-checkout.ts";
import { markup, pageAddress, scriptTag } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { addresses } from "./urls.ts";

const key = "oriel:device";

async function storedId(page: Page): Promise<string | null> {
  const frame = page.frames().find((candidate) => candidate.url().startsWith(`${addresses.checkout}/c/`));
  if (frame === undefined) throw new Error("The page has no iframe");
  return await frame.evaluate((key) => localStorage.getItem(key), key);
}

test("a browser keeps an ID after the first successful payment, only for this shop", async ({ page, browserName }) => {
  const first = await goToForm(page, "script");
  await pay(first, cards.declined);
  await expect(first.getByText(/declined/i).first()).toBeVisible();
  expect(await storedId(page)).toBeNull();

  await pay(first, cards.approved);
  await expectPaid(page);
  await expectReady(await goToForm(page, "script"));
  expect(await storedId(page)).toMatch(/^[\da-f-]{36}$/);
  expect(await page.evaluate(() => Object.keys(localStorage))).not.toContain(key);

  const { embedUrl } = await openSession();
  await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl) }));
  await expectReady(formIn(page));
  // Playwright turns off Chromium's separate storage.
  if (browserName !== "chromium") expect(await storedId(page)).toBeNull();
});
