/**
 * Expects axe to find no violations of WCAG 2.2 AA or axe's best practices in a page and all its iframes, including the
 * bank's.
 */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that check colors. The color scheme can't affect any other rule. */
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

/** Each target is a path of selectors, one for each nested iframe. */
function targetsOf(results: { nodes: { target: unknown[] }[] }[]): string[][] {
  return results.flatMap(({ nodes }) => nodes.map(({ target }) => target.map(String)));
}

function isWithin(frame: string[], target: string[]): boolean {
  return target.length > frame.length && frame.every((part, at) => part === target[at]);
}

/** Waits for transitions to end, because intermediate colors don't count. Endless animations are ignored. */
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
