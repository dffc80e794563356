/**
 * Tells whether Pay has been visible, at a readable size and in the same place, for half a second when it's pressed. This
 * catches a page that uncovers Pay in response to the press (the host page gets `blur` then) or moves it under the pointer.
 *
 * In test mode, a script that fills in the form may press Pay before the browser has reported anything, as merchants' own
 * tests do. Its press is held until Pay has been visible for half a second. Such a press says nothing about what was
 * visible before, so in live mode it isn't enough. Pay isn't watched before it, because Chromium would drop the script's
 * click while the page is still settling.
 *
 * Pay is watched from the first input on, and with visibility tracking only while it's within all bounds. Chromium
 * drops clicks into an iframe that tracks its visibility and has moved within the last half second. That is useful for
 * Pay, but would be harmful for the first field or while the page is still loading.
 *
 * IntersectionObserver ignores CSS `zoom`, but three signals reveal it, each in some browsers: the pointer moves
 * further in the iframe's pixels than on the screen; `devicePixelRatio` is lower than on any screen (Chromium); the
 * window is larger than the screen (Firefox). The pointer also reveals other kinds of scaling.
 */
import type { Page } from "../page/page.ts";
import { watchSeen } from "./is-visible.ts";

export interface Sight {
  /**
   * Call this when a press begins, and the returned function when it's handled. That resolves to whether the press
   * counts, as far as the browser can tell, at once or, for a script's press, within 1.5 seconds.
   */
  press(): () => Promise<boolean>;
  /** Restarts the half second, because the host page may have moved Pay. */
  restart(): void;
}

const longMs = 500;
/** How long a script's press is held. Slow devices take up to a second to report that Pay is visible. */
const patienceMs = 1_500;
const pollMs = 50;
/** Below 45% of the usual size, the amount is unreadable. A browser zoom of 50% is fine. */
const leastScale = 0.45;
/** The minimum distance, in the iframe's pixels, at which rounding doesn't matter. */
const leastMove = 20;

export function watchVisibility(
  { main, pay, number, cvc, typing }: Pick<Page, "main" | "pay" | "number" | "cvc" | "typing">,
  window: Window & typeof globalThis,
  now: () => number,
  /** Undefined until the session is open. */
  livemode: () => boolean | undefined,
): Sight {
  let since = Infinity;
  let scale = 1;
  let from: MouseEvent | null = null;
  let isTouch = false;
  const restart = () => {
    since = Math.max(since, now());
  };
  const isSmall = () =>
    Math.min(scale, window.screen.width / window.outerWidth) < leastScale ||
    // No phone or tablet has a ratio below 1. On other screens, the browser's own zoom affects it.
    window.devicePixelRatio < (isTouch ? 0.9 : leastScale);

  const watch = (closely: boolean) => {
    const stop = watchSeen(
      pay,
      (seen, isWithin) => {
        since = closely && seen ? Math.min(since, now()) : Infinity;
        if (isWithin === closely) return;
        stop();
        watch(isWithin);
      },
      closely,
    );
  };
  let isWatching = false;
  const startWatching = () => {
    if (!isWatching) watch(false);
    isWatching = true;
  };
  const noticeInput = () => {
    if (!typing.isScripted || livemode()) startWatching();
  };
  // On an element, because the document's listener finds out first whether it's a script.
  for (const type of ["input", "change"]) main.addEventListener(type, noticeInput, true);
  // Something was typed before this code arrived.
  if (number.value + cvc.value !== "") noticeInput();
  for (const type of ["pointermove", "pointerdown"] as const) {
    window.addEventListener(
      type,
      (event) => {
        isTouch = event.pointerType === "touch";
        // Horizontal only, because pages scroll vertically between two events.
        const moved = from ? event.clientX - from.clientX : 0;
        if (from && Math.abs(moved) < leastMove) return;
        if (from) scale = (event.screenX - from.screenX) / moved;
        from = event;
      },
      true,
    );
  }
  window.addEventListener("resize", restart);
  const isLong = () => now() - since >= longMs && !isSmall();
  return {
    press() {
      const wasLong = isLong();
      if (wasLong || !typing.isScripted || livemode() !== false) return async () => wasLong;
      return async () => {
        startWatching();
        for (const until = now() + patienceMs; now() < until && !isLong(); await pause(pollMs));
        return isLong();
      };
    },
    restart,
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
