/** Finds the focused element, however deeply it's nested in iframes. */
import { expect, type Frame, type Page } from "@playwright/test";

/**
 * The focused element by its test ID, its ID or its text. During a focus change it can be `body` (nothing is focused),
 * `frame` (the focus is moving into an iframe) or `gone` (the iframe was removed).
 */
export async function focusedIn(page: Page): Promise<string> {
  try {
    let frame: Frame = page.mainFrame();
    for (;;) {
      const below = await childWithFocus(frame);
      if (below === null) return await frame.evaluate(nameOfFocused);
      frame = below;
    }
  } catch (error) {
    if (error instanceof Error && /detached|destroyed|has been closed|different document/.test(error.message))
      return "gone";
    throw error;
  }
}

export async function expectFocus(page: Page, name: string): Promise<void> {
  await expect.poll(() => focusedIn(page), { message: `the focus is on ${name}` }).toBe(name);
}

/** Presses a key up to a number of times. @returns the focused elements up to and including `name` */
export async function pressUntil(
  page: Page,
  key: "Tab" | "Shift+Tab",
  name: string,
  maxPresses = 12,
): Promise<string[]> {
  const path: string[] = [];
  while (path.length < maxPresses) {
    const before = await focusedIn(page);
    await page.keyboard.press(key);
    // Moving the focus to another process takes a moment, during which nothing is focused.
    const isUnderWay = new Set([before, "body", "frame", "gone"]);
    let reached = before;
    await expect
      .poll(async () => isUnderWay.has((reached = await focusedIn(page))), {
        message: `${key} leaves ${before}; so far ${path.join(", ")}`,
      })
      .toBe(false);
    path.push(reached);
    if (path.at(-1) === name) return path;
  }
  throw new Error(`${key} didn't reach ${name}: ${path.join(", ")}`);
}

async function childWithFocus(frame: Frame): Promise<Frame | null> {
  for (const child of frame.childFrames()) {
    const element = await child.frameElement();
    if (await element.evaluate((candidate) => candidate === document.activeElement)) return child;
  }
  return null;
}

function nameOfFocused(): string {
  const element = document.activeElement;
  if (element === null || element === document.body || element === document.documentElement) return "body";
  if (element instanceof HTMLIFrameElement) return "frame";
  const testId = element.getAttribute("data-testid");
  return testId || element.id || element.textContent.trim() || element.tagName.toLowerCase();
}
