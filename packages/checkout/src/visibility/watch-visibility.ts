/**
 * Tells whether Pay was visible, at a readable size and in the same place, when it was pressed. This catches a page that
 * uncovers Pay in response to the press (the host page gets `blur` then) or moves it under the pointer.
 *
 * ```
 * Pay at `pointerdown`                                                     the press counts
 * visible for half a second -------------------------------------------->  at once
 * visible for less, but the customer has typed since it appeared ------->  at the end of the half second, if Pay stays
 *                                                                          visible and unchanged until then
 * any, but a script filled in the form within the last two seconds ----->  when Pay has been visible for half a second
 * anything else -------------------------------------------------------->  never: the customer is asked
 * ```
 * Visible for less: a customer who typed into the form after Pay appeared, or after it last changed, wasn't lured there
 * by whatever covered it. Only trusted input events count. Holding the press makes a page show Pay for half a second
 * in any case, so that a flash isn't enough.
 *
 * A script: the browser may not have reported anything yet, so the host page could have covered Pay. But then there is
 * no customer to deceive: no customer fills in a card like that (`Typing.isScripted`). Keyboards, also virtual ones,
 * send `keydown`. Pasted, dropped and autofilled text has other types, and an extension's events aren't trusted.
 * Dictation is left, but nobody dictates a number, a date and a code and then presses Pay, all within two seconds.
 *
 * Pay is watched from the first input on, and with visibility tracking only while it's within all bounds. Chromium
 * drops clicks into an iframe that tracks its visibility and has moved or changed its size within the last half second.
 * That is useful for Pay, but would be harmful for the first field or while the page is still loading, and a script
 * clicks while the page is still settling. So after a script's input, Pay is watched only once the form has been
 * unchanged for 750 ms. That is longer than Chromium drops clicks, and leaves a second to learn whether Pay is visible
 * before a script is treated like a customer. The same goes for a click in the form: until then the page may
 * move, and a password manager or autofill takes at least as long.
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
   * counts, as far as the browser can tell, after at most 1.5 seconds.
   */
  press(): () => Promise<boolean>;
  /** Restarts the half second, because the host page may have moved Pay. */
  restart(): void;
}

const longMs = 500;
/** How long after its first input a script is recognized. */
const scriptMs = 2_000;
/** How long the form must be unchanged before it's watched, unless a customer types. */
const calmMs = 750;
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
): Sight {
  let since = Infinity;
  /** How often Pay was hidden or shown again, or may have moved. */
  let changes = 0;
  let wasSeen = true;
  /** `changes` at the last trusted input. */
  let typedAt = -1;
  /** When the first input was noticed. */
  let firstAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWatching = false;
  let scale = 1;
  let from: MouseEvent | null = null;
  let isTouch = false;
  const isSmall = () =>
    Math.min(scale, window.screen.width / window.outerWidth) < leastScale ||
    // No phone or tablet has a ratio below 1. On other screens, the browser's own zoom affects it.
    window.devicePixelRatio < (isTouch ? 0.9 : leastScale);

  const watch = (closely: boolean) => {
    const stop = watchSeen(
      pay,
      (seen, isWithin) => {
        if (!seen || !wasSeen) changes++;
        wasSeen = seen;
        since = closely && seen ? Math.min(since, now()) : Infinity;
        if (isWithin === closely) return;
        stop();
        watch(isWithin);
      },
      closely,
    );
  };
  const startWatching = () => {
    clearTimeout(timer);
    if (!isWatching) watch(false);
    isWatching = true;
  };
  const startWhenCalm = () => {
    clearTimeout(timer);
    if (!isWatching) timer = setTimeout(startWatching, calmMs);
  };
  const noticeInput = () => {
    firstAt ||= now();
    if (!typing.isScripted) startWatching();
    else if (!timer) startWhenCalm();
  };
  const restart = () => {
    changes++;
    since = Math.max(since, now());
    if (timer) startWhenCalm();
  };
  for (const type of ["input", "change"]) {
    main.addEventListener(
      type,
      (event) => {
        if (event.isTrusted && type === "input") typedAt = changes;
        noticeInput();
      },
      true,
    );
  }
  // Something was typed before this code arrived.
  if (number.value + cvc.value !== "") noticeInput();
  // The customer may be about to fill in the card without typing.
  main.addEventListener("pointerdown", startWhenCalm, true);
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
  return {
    press() {
      const isLong = now() - since >= longMs;
      const isScripted = typing.isScripted && now() - firstAt < scriptMs;
      if (isSmall() || !(isLong || isScripted || (since < Infinity && typedAt === changes))) return async () => false;
      if (isLong) return async () => true;
      const before = changes;
      const isUnchanged = () => isScripted || changes === before;
      return async () => {
        startWatching();
        for (const until = now() + patienceMs; now() - since < longMs; await pause(pollMs))
          if (now() > until || !isUnchanged()) return false;
        return isUnchanged() && !isSmall();
      };
    },
    restart,
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
