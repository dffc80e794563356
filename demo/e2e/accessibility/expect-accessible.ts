/**
 * Expects axe to find no violations of WCAG 2.2 AA or axe's best practices in a page and all its iframes, including the
 * bank's.
 */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Frame, type Page } from "@playwright/test";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that check colors. The color scheme can't affect any other rule. */
const colorRules = ["color-contrast", "link-in-text-block"];
const frameRule = "frame-tested";
const maxTries = 10;

export async function expectAccessible(page: Page): Promise<void> {
  await expectNoViolation(page, (axe) => axe.withTags(tags));
}

/** Checks the same page in another color scheme. */
export async function expectContrast(page: Page): Promise<void> {
  await expectNoViolation(page, (axe) => axe.withRules([...colorRules, frameRule]));
}

async function expectNoViolation(page: Page, choose: (axe: AxeBuilder) => AxeBuilder): Promise<void> {
  await waitUntilStill(page);
  const filled = await fillTransparentFrames(page);
  const { violations, passes } = await analyze(page, choose);
  for (const frame of filled) await frame.evaluate(() => document.documentElement.style.removeProperty("background"));
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => ({ id, help, target: target.flat().join(" > "), why: failureSummary })),
  );
  expect(found).toEqual([]);
  expect(passes.length, "rules that applied").toBeGreaterThan(0);
}

/**
 * axe takes a page without a background to be white, even in an iframe through which the page around it shows. Until
 * the check is over, such an iframe gets the color behind it.
 */
async function fillTransparentFrames(page: Page): Promise<Frame[]> {
  const filled: Frame[] = [];
  for (const frame of page.frames()) {
    if (frame.parentFrame() === null) continue;
    const behind = await (
      await frame.frameElement()
    ).evaluate((element) => {
      for (let node: Element | null = element as Element; node;) {
        const { backgroundColor } = getComputedStyle(node);
        if (backgroundColor !== "rgba(0, 0, 0, 0)") return backgroundColor;
        const root = node.getRootNode();
        node = node.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
      }
      return "";
    });
    const isFilled = await frame.evaluate((color) => {
      const root = document.documentElement;
      const isTransparent = [root, document.body].every(
        (element) => getComputedStyle(element).backgroundColor === "rgba(0, 0, 0, 0)",
      );
      if (isTransparent) root.style.background = color;
      return isTransparent;
    }, behind);
    if (isFilled) filled.push(frame);
  }
  return filled;
}

/**
 * axe skips an iframe that isn't ready within one second, and only one rule reports it. In that case this runs axe
 * again.
 */
async function analyze(page: Page, choose: (axe: AxeBuilder) => AxeBuilder) {
  for (let tries = 0; tries < maxTries; tries++) {
    const results = await choose(new AxeBuilder({ page })).analyze();
    const uncertain = targetsOf(results.incomplete.filter(({ id }) => id === frameRule));
    // The rule checks the iframe's root, which counts as hidden while the iframe has an open modal dialog. Results from
    // inside the iframe show that it was checked.
    const found = targetsOf([...results.passes, ...results.incomplete].filter(({ id }) => id !== frameRule));
    if (uncertain.every((frame) => found.some((target) => isWithin(frame, target)))) return results;
  }
  throw new Error(`axe couldn't check every iframe of ${page.url().replace(/#.*/, "")} in ${maxTries} attempts.`);
}

/** Each target is a path of selectors, one for each nested iframe. */
function targetsOf(results: { nodes: { target: unknown[] }[] }[]): string[][] {
  return results.flatMap(({ nodes }) => nodes.map(({ target }) => target.map(String)));
}

function isWithin(frame: string[], target: string[]): boolean {
  return target.length > frame.length && frame.every((part, at) => part === target[at]);
}

/** The loader compares the page's colors at most every 100 ms, and sends changes to the iframe 100 ms later. */
const followedWithinMs = 400;

/** Waits for transitions to end, because intermediate colors don't count. Endless animations are ignored. */
async function waitUntilStill(page: Page): Promise<void> {
  if (page.frames().length > 1) await page.waitForTimeout(followedWithinMs);
  for (const frame of page.frames()) {
    await frame.evaluate(async () => {
      const ending = document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity);
      await Promise.allSettled(ending.map(({ finished }) => finished));
    });
  }
}
