/**
 * Calls `wipe` when nobody has touched the form for ten minutes. It goes by the clock: timers don't run while a laptop
 * is closed, so the time is checked again when the page is shown.
 */
import type { Page } from "../page/page.ts";

export const idleLimitMs = 10 * 60_000;

export function wipeWhenIdle(page: Page, now: () => number, wipe: () => void): void {
  let lastTouched = now();
  let timer: ReturnType<typeof setTimeout>;

  const check = () => {
    clearTimeout(timer);
    const leftMs = lastTouched + idleLimitMs - now();
    if (leftMs <= 0) {
      lastTouched = now();
      wipe();
    }
    timer = setTimeout(check, leftMs > 0 ? leftMs : idleLimitMs);
  };
  const touched = () => {
    lastTouched = now();
  };
  // Input counts everywhere, and focus only in the form, because the page itself moves it to results.
  for (const type of ["input", "change"]) page.main.addEventListener(type, touched);
  page.form.addEventListener("focusin", touched);
  page.document.addEventListener("visibilitychange", check);
  timer = setTimeout(check, idleLimitMs);
}
