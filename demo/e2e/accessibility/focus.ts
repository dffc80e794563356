/** Where the keyboard is, however many frames down. */
import { expect, type Frame, type Page } from "@playwright/test";

/**
 * The element with the focus, by its test id, its id, or what stands on it. On its way between two places it is `body`
 * where it is nowhere, `frame` where it went into a frame while we looked, and `gone` where its frame has just gone.
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
    if (error instanceof Error && /detached|destroyed|has been closed/.test(error.message)) return "gone";
    throw error;
  }
}

export async function expectFocus(page: Page, name: string): Promise<void> {
  await expect.poll(() => focusedIn(page), { message: `the focus is on ${name}` }).toBe(name);
}

/** Presses a key so many times at most. @returns what the focus was on, press by press, up to and with `name` */
export async function pressUntil(page: Page, key: "Tab" | "Shift+Tab", name: string, atMost = 12): Promise<string[]> {
  const path: string[] = [];
  while (path.length < atMost) {
    const before = await focusedIn(page);
    await page.keyboard.press(key);
    // From one process to another the focus takes a moment, in which it is nowhere.
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
  throw new Error(`${key} has not come to ${name}: ${path.join(", ")}`);
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
