/**
 * Knows how long Pay has been visible, at a readable size and in the same place, when a press begins. A page that
 * uncovers Pay because it was pressed (the host page gets `blur` then), or that puts it under the pointer, is too late.
 *
 * Pay is watched from the first input on, and closely only while it lies within all edges. For Chromium drops clicks
 * into an iframe that tracks its visibility and has moved within the last half second: that is what we want for Pay,
 * and not for the first field or for a page that is being built.
 *
 * CSS `zoom` is invisible to IntersectionObserver. Three things give it away, each in some browsers: the pointer moves
 * further in the iframe's pixels than on the screen; `devicePixelRatio` is lower than on any screen (Chromium); the
 * window is larger than the screen (Firefox). The pointer gives away other kinds of scaling as well.
 */
import type { Page } from "../page/page.ts";
import { watchSeen } from "./is-seen.ts";

export interface Sight {
  /** Whether Pay has been visible for half a second, as far as the browser can tell. */
  isLong(): boolean;
  /** The host page may have moved Pay: the half second starts again. */
  restart(): void;
}

const longMs = 500;
/** Below 45 % of the usual size nobody reads the amount. A browser's own zoom of 50 % is fine. */
const leastScale = 0.45;
/** The least distance, in the iframe's pixels, whose rounding doesn't matter. */
const leastMove = 20;

export function watchSight(
  { pay, number, cvc }: Pick<Page, "pay" | "number" | "cvc">,
  window: Window & typeof globalThis,
  now: () => number,
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
    // No phone or tablet has less than one; on other screens the browser's own zoom counts in.
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
  const begin = () => {
    if (!isWatching) watch(false);
    isWatching = true;
  };
  for (const type of ["input", "change"]) window.addEventListener(type, begin, true);
  // Typed before this code came.
  if (number.value + cvc.value !== "") begin();
  for (const type of ["pointermove", "pointerdown"] as const) {
    window.addEventListener(
      type,
      (event) => {
        isTouch = event.pointerType === "touch";
        // Sideways only: pages scroll up and down between two events.
        const moved = from ? event.clientX - from.clientX : 0;
        if (from && Math.abs(moved) < leastMove) return;
        if (from) scale = (event.screenX - from.screenX) / moved;
        from = event;
      },
      true,
    );
  }
  window.addEventListener("resize", restart);
  return { isLong: () => now() - since >= longMs && !isSmall(), restart };
}
