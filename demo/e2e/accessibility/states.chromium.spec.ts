/**
 * Accessibility of every state of the checkout, on the full page and in an iframe: nothing is cut off at 400% zoom in
 * left-to-right and right-to-left languages, axe finds nothing in light or dark mode, and nothing moves with reduced
 * motion. Roles, colors and animations don't depend on the text direction, so they're checked in one language. Chromium
 * only, because the result depends only on our markup, styles and colors.
 */
import { expect, test, type Frame, type Page } from "@playwright/test";
import { addresses } from "../urls.ts";
import { expectAccessible, expectContrast } from "./expect-accessible.ts";
import { layouts } from "./open-checkout.ts";
import { openIn, statesIn } from "./states.ts";

/** What remains of 1280 by 1024 at 400%, in CSS pixels (WCAG 2.2, 1.4.10). */
const zoomed = { width: 320, height: 256 };
const whole = { width: 1280, height: 1024 };

for (const language of ["en", "ar"]) {
  test.describe(`in ${language}`, () => {
    test.use({ locale: language, viewport: zoomed, contextOptions: { reducedMotion: "reduce" } });

    for (const layout of layouts) {
      for (const state of statesIn(layout)) {
        const title = language === "en" ? "zoomed, light and dark, without motion" : "zoomed";
        test(`${layout}, ${state.name}: ${title}`, async ({ page }) => {
          await page.emulateMedia({ colorScheme: "light" });
          await openIn(page, state, layout);
          await expectNothing(page, cutOff, "cut off, or wider than the window");
          if (language !== "en") return;
          await page.setViewportSize(whole);
          await expectNothing(page, moving, "moves");
          await expectAccessible(page);
          await page.emulateMedia({ colorScheme: "dark" });
          await expectContrast(page);
        });
      }
    }
  });
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
