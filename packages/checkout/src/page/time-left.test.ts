import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "./page.ts";
import { showTimeLeft } from "./time-left.ts";

let page: Page;
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  page = loadPage();
});
afterEach(() => {
  vi.useRealTimers();
});
const line = () => page.find("encrypted").textContent;

it("counts down the last minute, announces it once, and restores the line", async () => {
  showTimeLeft(page, 1_045_000, Date.now);
  expect(line()).toBe("This page is about to expire. Time left: 45 seconds");
  expect(page.live.textContent).toBe(line());
  vi.advanceTimersByTime(44_000);
  expect(line()).toMatch(/: 1 second$/);
  expect(page.live.textContent).toMatch(/45 seconds$/);
  vi.advanceTimersByTime(1_000);
  expect(line()).toBe(page.words.texts.encrypted);
  expect(vi.getTimerCount()).toBe(0);
});

it("switches to the page's new language", async () => {
  showTimeLeft(page, 1_045_000, Date.now);
  await page.words.speak("de");
  expect(line()).toBe("Diese Seite läuft gleich ab. Verbleibende Zeit: 45 Sekunden");
});
