/**
 * Tells whether the button that pays has been visible, at a readable size and in the same place, for half a second when
 * it's pressed. This catches a page that uncovers it in response to the press (the host page gets `blur` then) or moves it
 * under the pointer. The button is Pay, or the confirmation's own while that is open.
 *
 * In test mode, a script that fills in the form may press Pay before the browser has reported anything, as merchants' own
 * tests do. Its press is held until Pay has been visible for half a second. Such a press says nothing about what was
 * visible before, so in live mode it isn't enough. Pay isn't watched before it, because Chromium would drop the script's
 * click while the page is still settling.
 *
 * A press by keys or assistive technology is held too, because it often comes soon after the first input, as with a
 * password manager. The host page isn't told about such a press, but it can guess when it comes, for example from the
 * `change` event of a complete form, and show the form just then. So a press isn't held once Pay has been watched for a
 * second and is still covered. Customers also press Enter in a field while Pay is out of view, so then the field is
 * watched instead.
 *
 * Pay is watched from the first input on, and with visibility tracking only while it's within all bounds. Chromium
 * drops clicks into an iframe that tracks its visibility and has moved within the last half second. That is useful for
 * Pay, but would be harmful for the first field or while the page is still loading.
 *
 * Browsers don't report what other windows, native menus and dragged pictures cover. So a press soon after one of them
 * may have been there doesn't count: after the window got the focus or was shown, after something was dragged here, or
 * when the mouse pointer has only just appeared here and has hardly moved. Scripts move the pointer like that, so the last
 * rule doesn't apply in test mode.
 *
 * IntersectionObserver ignores CSS `zoom`, but three signals reveal it, each in some browsers: the pointer moves
 * further in the iframe's pixels than on the screen; `devicePixelRatio` is lower than on any screen (Chromium); the
 * window is larger than the screen (Firefox). The pointer also reveals other kinds of scaling.
 */
import type { Page } from "../page/page.ts";
import { isElementVisible, watchSeen } from "./is-visible.ts";

export interface Sight {
  /** Watches this button instead of the last one. */
  watch(button: Element): void;
  /**
   * Call this while a press is being handled. Resolves to whether it counts, as far as the browser can tell, within 2.5
   * seconds. A click is by pointer only if the pointer was pressed on the button.
   */
  wasSeen(isClick: boolean): Promise<boolean>;
  /**
   * Resolves to true once the button has been visible for half a second, or to false after two seconds, or as soon as
   * it has been watched for a second and is covered or too small.
   */
  untilSeen(): Promise<boolean>;
  /** Restarts the half second, because the host page may have moved the button. */
  restart(): void;
}

const longMs = 500;
/** How long a press is held at most. */
const patienceMs = 2_000;
/** Slow devices take up to a second to report that Pay is visible. The first reports are always negative. */
const firstReportsMs = 1_000;
const pollMs = 50;
/** Below 45% of the usual size, the amount is unreadable. A browser zoom of 50% is fine. */
const leastScale = 0.45;
/** The minimum distance, in the iframe's pixels, at which rounding doesn't matter. */
const leastMove = 20;

export function watchVisibility(
  { document, main, pay, number, cvc, typing }: Pick<Page, "document" | "main" | "pay" | "number" | "cvc" | "typing">,
  window: Window & typeof globalThis,
  now: () => number,
  /** Undefined until the session is open. */
  livemode: () => boolean | undefined,
): Sight {
  const root = document.documentElement;
  let since = Infinity;
  /** When the browser first reported whether this button is covered. */
  let watchedSince = Infinity;
  const measureScale = createScaleMeter();
  let scale = 1;
  /** The pointer's first event since it came into the iframe. */
  let arrival: MouseEvent | null = null;
  let isTouch = false;
  /** Whether a press by pointer that began last counts. Later, the customer may see Pay, but can't back out. */
  let isPressLong = false;
  /** Whether a pointer was pressed on the button. Firefox's accessibility actions click without that. */
  let isPressed = false;
  const restart = () => {
    since = Math.max(since, now());
  };
  const isSmall = () =>
    Math.min(scale, window.screen.width / window.outerWidth) < leastScale ||
    // No phone or tablet has a ratio below 1. On other screens, the browser's own zoom affects it.
    window.devicePixelRatio < (isTouch ? 0.9 : leastScale);
  const isLong = () =>
    now() - since >= longMs &&
    !isSmall() &&
    // While the texts are still hidden (page/initial-settings.ts), Pay shows no amount.
    root.dataset["words"] === undefined;

  const isSudden = (press: PointerEvent, first: MouseEvent) =>
    press.pointerType === "mouse" &&
    livemode() !== false &&
    press.timeStamp - first.timeStamp < longMs &&
    Math.hypot(press.clientX - first.clientX, press.clientY - first.clientY) < leastMove;

  let button: Element = pay;
  let isWithin = false;
  let stop: (() => void) | undefined;
  const observe = (closely: boolean) => {
    const before = stop;
    stop = watchSeen(
      button,
      (seen, within) => {
        since = closely && seen ? Math.min(since, now()) : Infinity;
        if (closely && within) watchedSince = Math.min(watchedSince, now());
        isWithin = within;
        if (within !== closely) observe(within);
      },
      closely,
    );
    // Afterward, so that tracking doesn't pause.
    before?.();
  };
  const watch = (next: Element) => {
    button = next;
    since = watchedSince = Infinity;
    observe(true);
  };
  const noticeInput = () => {
    if (!stop && window.parent !== window && (!typing.isScripted || livemode())) observe(false);
  };
  // On an element, because the document's listener finds out first whether it's a script.
  for (const type of ["input", "change"]) main.addEventListener(type, noticeInput, true);
  // Something was typed before this code arrived.
  if (number.value + cvc.value !== "") noticeInput();
  for (const type of ["pointerover", "pointermove", "pointerdown"] as const) {
    window.addEventListener(
      type,
      (event) => {
        isTouch = event.pointerType === "touch";
        arrival ??= event;
        scale = measureScale(event);
        if (type !== "pointerdown") return;
        isPressed = button.contains(event.target as Node); // events of pointers have nodes as targets
        isPressLong = isLong() && !isSudden(event, arrival);
      },
      true,
    );
  }
  root.addEventListener("pointerleave", () => (arrival = null));
  for (const type of ["resize", "focus"]) window.addEventListener(type, restart);
  for (const type of ["visibilitychange", "dragover"]) document.addEventListener(type, restart);
  /**
   * Whether to hold a press longer. If it were held while Pay is known to be covered or too small, a page could show Pay
   * just when it expects the press. In test mode, a script's press always waits.
   */
  const mayBeSeenSoon = () =>
    (since < Infinity && !isSmall()) ||
    now() - watchedSince < firstReportsMs ||
    (typing.isScripted && livemode() === false);
  const untilSeen = async () => {
    for (const until = now() + patienceMs; now() < until && mayBeSeenSoon() && !isLong(); await pause(pollMs));
    return isLong();
  };
  return {
    watch,
    async wasSeen(isClick) {
      const isByPointer = isClick && isPressed;
      isPressed = false;
      if (isByPointer ? isPressLong : isLong()) return isElementVisible(button);
      if (isByPointer && (!typing.isScripted || livemode() !== false)) return false;
      const before = button;
      if (!isByPointer && !isWithin) watch(document.activeElement?.closest("div,button") ?? before);
      else if (!stop) observe(false);
      const held = button;
      const isSeen = await untilSeen();
      if (button === held && held !== before) watch(before);
      return isSeen;
    },
    untilSeen,
    restart,
  };
}

/** Compares how far the pointer moves on the screen and in the iframe. */
function createScaleMeter(): (event: MouseEvent) => number {
  let scale = 1;
  let from: MouseEvent | null = null;
  return (event) => {
    // Horizontal only, because pages scroll vertically between two events.
    const moved = from ? event.clientX - from.clientX : leastMove;
    if (Math.abs(moved) >= leastMove) {
      if (from) scale = (event.screenX - from.screenX) / moved;
      from = event;
    }
    return scale;
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
