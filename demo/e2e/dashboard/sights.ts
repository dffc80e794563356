/** How a page of the dashboard is looked at: wide and light, narrow and dark. */
import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "../accessibility/expect-accessible.ts";

export const sights = [
  [1280, "light"],
  [390, "dark"],
] as const;

export async function lookAt(page: Page, [width, scheme]: (typeof sights)[number]): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: scheme });
}

/** In all sights; afterwards the page is wide and light. */
export async function expectFineInAll(page: Page): Promise<void> {
  for (const sight of sights) {
    await lookAt(page, sight);
    await expectFine(page);
  }
  await lookAt(page, sights[0]);
}

/** Once it has loaded: what strangers typed is text, nothing hangs over the side, and axe finds nothing. */
export async function expectFine(page: Page): Promise<void> {
  await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
  await expectTextOnly(page);
  await expectNoOverhang(page);
  await expectAccessible(page);
}

/** Of what `hostile-merchant.ts` has. */
export async function expectTextOnly(page: Page): Promise<void> {
  expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
  await expect(page.locator("img[src='x'], svg[onload], a[href^='javascript:']")).toHaveCount(0);
}

/** At last: the navigation takes a moment to fold. */
async function expectNoOverhang(page: Page): Promise<void> {
  const overhang = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overhang, "nothing hangs over the side").toBeLessThanOrEqual(0);
}
