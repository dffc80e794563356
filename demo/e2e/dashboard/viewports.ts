/** The viewports that the dashboard is tested in: wide and light, narrow and dark. */
import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "../accessibility/expect-accessible.ts";

export const viewports = [
  [1280, "light"],
  [390, "dark"],
] as const;

export async function applyViewport(page: Page, [width, scheme]: (typeof viewports)[number]): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: scheme });
  // Set by the page's script, which a busy machine runs later.
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", scheme);
}

/** Runs {@link expectFine} in all viewports, and then restores the wide, light one. */
export async function expectFineInAll(page: Page): Promise<void> {
  for (const viewport of viewports) {
    await applyViewport(page, viewport);
    await expectFine(page);
  }
  await applyViewport(page, viewports[0]);
}

/** Waits until the page has loaded and checks that hostile input is text, nothing overflows and axe finds nothing. */
export async function expectFine(page: Page): Promise<void> {
  await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
  await expectTextOnly(page);
  await expectNoOverhang(page);
  await expectAccessible(page);
}

/** Checks that none of the input of `hostile-merchant.ts` became markup or ran. */
export async function expectTextOnly(page: Page): Promise<void> {
  expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
  await expect(page.locator("img[src='x'], svg[onload], a[href^='javascript:']")).toHaveCount(0);
}

/** Polls, because an animation collapses the navigation. On narrow screens, tables are cards, which don't scroll either. */
async function expectNoOverhang(page: Page): Promise<void> {
  const overhang = () =>
    page.evaluate(() => {
      const cards = innerWidth < 500 ? document.querySelectorAll(".record-frame [role=group]") : [];
      const overhangs = [...cards].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      return Math.max(document.documentElement.scrollWidth - innerWidth, ...overhangs);
    });
  await expect.poll(overhang, "nothing overflows horizontally").toBeLessThanOrEqual(0);
}
