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
  for (const type of ["input", "change", "focusin"]) {
    page.form.addEventListener(type, () => {
      lastTouched = now();
    });
  }
  page.document.addEventListener("visibilitychange", check);
  timer = setTimeout(check, idleLimitMs);
}
