/**
 * Expects axe to find no problems in a page and all its iframes, including the bank's, by WCAG 2.2 AA and axe's best
 * practices.
 */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that check colors. A different color scheme can't affect the others. */
const colorRules = ["color-contrast", "link-in-text-block"];
const frameRule = "frame-tested";
const mostTries = 10;

export async function expectAccessible(page: Page): Promise<void> {
  await expectNoViolation(page, (axe) => axe.withTags(tags));
}

/** Checks the same page in another color scheme. */
export async function expectContrast(page: Page): Promise<void> {
  await expectNoViolation(page, (axe) => axe.withRules([...colorRules, frameRule]));
}

async function expectNoViolation(page: Page, choose: (axe: AxeBuilder) => AxeBuilder): Promise<void> {
  await waitUntilStill(page);
  const { violations, passes } = await analyze(page, choose);
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => ({ id, help, target: target.flat().join(" > "), why: failureSummary })),
  );
  expect(found).toEqual([]);
  expect(passes.length, "rules that applied").toBeGreaterThan(0);
}

/**
 * axe skips an iframe that isn't ready within one second, and only one rule reports it. In that case this runs axe
 * again.
 */
async function analyze(page: Page, choose: (axe: AxeBuilder) => AxeBuilder) {
  for (let tries = 0; tries < mostTries; tries++) {
    const results = await choose(new AxeBuilder({ page })).analyze();
    const doubted = targetsOf(results.incomplete.filter(({ id }) => id === frameRule));
    // The rule checks the iframe's root, which counts as hidden while the iframe has an open modal dialog. Results from
    // inside the iframe show that it was checked.
    const found = targetsOf([...results.passes, ...results.incomplete].filter(({ id }) => id !== frameRule));
    if (doubted.every((frame) => found.some((target) => isWithin(frame, target)))) return results;
  }
  throw new Error(`axe couldn't check every iframe of ${page.url().replace(/#.*/, "")} in ${mostTries} attempts.`);
}

/** Each is a path of selectors from iframe to iframe. */
function targetsOf(results: { nodes: { target: unknown[] }[] }[]): string[][] {
  return results.flatMap(({ nodes }) => nodes.map(({ target }) => target.map(String)));
}

function isWithin(frame: string[], target: string[]): boolean {
  return target.length > frame.length && frame.every((part, at) => part === target[at]);
}

/** Waits for transitions, because colors in between don't count. Endless animations are ignored. */
async function waitUntilStill(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    await frame.evaluate(async () => {
      const ending = document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity);
      await Promise.allSettled(ending.map(({ finished }) => finished));
    });
  }
}
