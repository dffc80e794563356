import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import { idleLimitMs, wipeWhenIdle } from "./wipe-when-idle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("wipes the form only after ten minutes without input", () => {
  const page = loadPage();
  const wipe = vi.fn();
  wipeWhenIdle(page, () => Date.now(), wipe);
  vi.advanceTimersByTime(idleLimitMs - 1000);
  page.number.dispatchEvent(new Event("input", { bubbles: true }));
  vi.advanceTimersByTime(idleLimitMs - 1000);
  expect(wipe).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(wipe).toHaveBeenCalledOnce();
});

it("wipes the form at once when the page is shown after a sleep in which no timer ran", () => {
  const page = loadPage();
  const wipe = vi.fn();
  let now = 0;
  wipeWhenIdle(page, () => now, wipe);
  now = idleLimitMs;
  document.dispatchEvent(new Event("visibilitychange"));
  expect(wipe).toHaveBeenCalledOnce();
});
