/**
 * What axe finds in a page and in every frame of it, the bank's too: nothing, by WCAG 2.2 AA and by its own best
 * practices.
 */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The ones that look at colours: in another scheme no other rule can come out otherwise. */
const colourRules = ["color-contrast", "link-in-text-block"];
const frameRule = "frame-tested";
const mostTries = 10;

export async function expectAccessible(page: Page): Promise<void> {
  await expectNoViolation(page, (axe) => axe.withTags(tags));
}

/** The same page in another colour scheme. */
export async function expectContrast(page: Page): Promise<void> {
  await expectNoViolation(page, (axe) => axe.withRules([...colourRules, frameRule]));
}

async function expectNoViolation(page: Page, choose: (axe: AxeBuilder) => AxeBuilder): Promise<void> {
  await waitUntilStill(page);
  const { violations, passes } = await analyze(page, choose);
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => ({ id, help, target: target.flat().join(" > "), why: failureSummary })),
  );
  expect(found).toEqual([]);
  expect(passes.length, "rules that there was something for").toBeGreaterThan(0);
}

/**
 * A frame that is not ready for axe within its one second is left out, and only one rule says so: then it is asked
 * again.
 */
async function analyze(page: Page, choose: (axe: AxeBuilder) => AxeBuilder) {
  for (let tries = 0; tries < mostTries; tries++) {
    const results = await choose(new AxeBuilder({ page })).analyze();
    const doubted = targetsOf(results.incomplete.filter(({ id }) => id === frameRule));
    // The rule looks for the frame's root, which counts as hidden while a modal dialog is open in it. What was found
    // inside tells better.
    const found = targetsOf([...results.passes, ...results.incomplete].filter(({ id }) => id !== frameRule));
    if (doubted.every((frame) => found.some((target) => isWithin(frame, target)))) return results;
  }
  throw new Error(`axe could not look into every frame of ${page.url().replace(/#.*/, "")}, asked ${mostTries} times.`);
}

/** Each a path of selectors, from frame to frame. */
function targetsOf(results: { nodes: { target: unknown[] }[] }[]): string[][] {
  return results.flatMap(({ nodes }) => nodes.map(({ target }) => target.map(String)));
}

function isWithin(frame: string[], target: string[]): boolean {
  return target.length > frame.length && frame.every((part, at) => part === target[at]);
}

/** Colours in the middle of a transition are nobody's. What goes round for ever is not waited for. */
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
