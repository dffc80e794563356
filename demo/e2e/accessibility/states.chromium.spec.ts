/**
 * Accessibility of every state of the checkout, on the full page and in an iframe: nothing is cut off at 400% zoom from
 * left to right and from right to left, axe finds nothing in light or dark mode, and nothing moves with reduced motion.
 * Roles, colors and animations don't depend on the text direction, so they're checked in one. Chromium only, because
 * the result depends only on our markup, styles and colors.
 *
 * Each state is reached once. The iframe opens in Arabic and switches to English, except for texts around the bank's
 * page, which are written once. The full page can't switch its language, so it opens in English and only changes its
 * direction.
 */
import { expect, test, type Frame, type Page } from "@playwright/test";
import { addresses } from "../urls.ts";
import { expectAccessible, expectContrast } from "./expect-accessible.ts";
import { layouts, type Layout, type OpenCheckoutPage } from "./open-checkout.ts";
import { openIn, statesIn, type State } from "./states.ts";

/** What remains of 1280 by 1024 at 400%, in CSS pixels (WCAG 2.2, 1.4.10). */
const zoomed = { width: 320, height: 256 };
const whole = { width: 1280, height: 1024 };
const languages: Record<Layout, string> = { "full page": "en", inline: "ar" };

for (const layout of layouts) {
  test.describe(layout, () => {
    test.use({ locale: languages[layout], viewport: zoomed, contextOptions: { reducedMotion: "reduce" } });

    for (const state of statesIn(layout)) {
      test(`${state.name}: zoomed in both directions, light and dark, without motion`, async ({ page }) => {
        await page.emulateMedia({ colorScheme: "light" });
        const open = await openIn(page, state, layout);
        await expectNothing(page, cutOff, "cut off, or wider than the window");
        await turnAround(open, state);
        await expectNothing(page, cutOff, "cut off, or wider than the window");
        await page.setViewportSize(whole);
        await expectNothing(page, moving, "moves");
        await expectAccessible(page);
        await page.emulateMedia({ colorScheme: "dark" });
        await expectContrast(page);
      });
    }
  });
}

/** Reverses the text direction: the iframe switches to English if it can, and the rest only changes its direction. */
async function turnAround({ page, form, layout }: OpenCheckoutPage, { ignoresUpdates }: State): Promise<void> {
  const root = form.locator("html");
  const [before, after] = layout === "full page" ? ["ltr", "rtl"] : ["rtl", "ltr"];
  await expect(root).toHaveAttribute("dir", before);
  if (layout === "full page" || ignoresUpdates)
    await root.evaluate((element, direction) => element.setAttribute("dir", direction), after);
  else await page.evaluate(() => window.checkout.update({ locale: "en" }));
  await expect(root).toHaveAttribute("dir", after);
}

/** Checks the shop's page and the iframes with our styles. The bank's page is not ours. */
async function expectNothing(page: Page, find: () => string[], what: string): Promise<void> {
  const isOurs = (frame: Frame) => frame === page.mainFrame() || frame.url().startsWith(`${addresses.checkout}/`);
  for (const frame of page.frames().filter(isOurs)) {
    expect(await frame.evaluate(find), `${what}, in ${frame.url().replace(/#.*/, "")}`).toEqual([]);
  }
}

/** Runs in the page: finds what overflows the window's width or a box that hides its overflow. */
function cutOff(): string[] {
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}#${element.id}.${element.getAttribute("class") ?? ""}`;
  const width = document.documentElement.clientWidth;
  const found =
    document.documentElement.scrollWidth > width ? [`the page is ${document.documentElement.scrollWidth} wide`] : [];
  for (const element of document.body.querySelectorAll<HTMLElement>("*")) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const { left, right, width: own, height } = element.getBoundingClientRect();
    if (own <= 1 || height <= 1) continue; // for screen readers only
    if (left < -1 || right > width + 1) found.push(`${name(element)} reaches from ${left} to ${right} of ${width}`);
    const { overflowX, overflowY } = getComputedStyle(element);
    const hides = (overflow: string) => overflow === "hidden" || overflow === "clip";
    const isText = element.tagName !== "INPUT" && element.textContent.trim() !== "";
    if (isText && hides(overflowX) && element.scrollWidth > element.clientWidth + 1)
      found.push(`${name(element)} hides some of its width`);
    if (isText && hides(overflowY) && element.scrollHeight > element.clientHeight + 1)
      found.push(`${name(element)} hides some of its height`);
  }
  return found;
}

/** Runs in the page: finds what changes its position, size or shape without any input. Fading isn't motion. */
function moving(): string[] {
  const still = new Set([
    "opacity",
    "offset",
    "computedOffset",
    "easing",
    "composite",
    "color",
    "backgroundColor",
    "borderColor",
  ]);
  return document.getAnimations().flatMap(({ effect }) => {
    if (!(effect instanceof KeyframeEffect) || Number(effect.getComputedTiming().duration) < 100) return [];
    const moved = effect
      .getKeyframes()
      .flatMap((keyframe) => Object.keys(keyframe).filter((property) => !still.has(property)));
    return moved.length === 0
      ? []
      : [
          `${effect.target?.tagName}#${effect.target?.id}${effect.pseudoElement ?? ""}: ${[...new Set(moved)].join(", ")}`,
        ];
  });
}
