/**
 * Checks whether an element is visible, as far as the browser can tell.
 *
 * With IntersectionObserver v2 (Chromium), the browser also reports whether something covers the element, or whether an
 * outer page made it transparent, small or blurred. `docs/page-security.md` lists what it doesn't notice. It does report
 * some honest pages as not visible: a rounded chat button over one corner, an opacity of .99, a page that is scaled. Other
 * browsers only know how much of the element is within the bounds of all the iframes. So the result is a signal, not
 * proof, and callers must not block a payment because of it alone.
 *
 * Source: https://w3c.github.io/IntersectionObserver/v2/
 */

/** The signal lags by one animation frame, and by `delay` after a change; slow phones need extra time. */
const patienceMs = 300;
/** Tolerates edges that fall between two pixels. */
const enoughRatio = 0.99;
/** The longest time between two observations with a cause other than a change. */
const irregularMs = 150;

/** Options that TypeScript's DOM types don't include yet. */
interface VisibilityInit extends IntersectionObserverInit {
  trackVisibility: boolean;
  /** The minimum that browsers accept, in ms. */
  delay: 100;
}

/**
 * Reports whether the element is visible and whether it is within all bounds, soon after the call and after each
 * change.
 *
 * An observer that tracks visibility looks every 100 ms, so a page could cover the element in between. So it's replaced
 * at random moments: a new observer looks at once. Tracking never pauses, because its first reports are always negative.
 *
 * @param trackVisibility if false, only the bounds are checked
 * @returns a function that stops observing
 */
export function watchSeen(
  element: Element,
  report: (seen: boolean, isWithin: boolean) => void,
  trackVisibility = true,
  Observer: typeof IntersectionObserver = IntersectionObserver,
): () => void {
  const options: VisibilityInit = { trackVisibility, delay: 100, threshold: [0, enoughRatio] };
  let observer: IntersectionObserver | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observe = () => {
    const before = observer;
    const current = new Observer((entries) => {
      // Browsers without v2 ignore the option and can't tell whether something covers the element.
      const isTracking = Reflect.get(current, "trackVisibility") === true;
      clearTimeout(timer);
      if (isTracking) timer = setTimeout(observe, Math.random() * irregularMs);
      for (const entry of entries) {
        const isWithin = entry.intersectionRatio >= enoughRatio;
        report(isWithin && (!isTracking || Reflect.get(entry, "isVisible") === true), isWithin);
      }
    }, options);
    observer = current;
    current.observe(element);
    before?.disconnect();
  };
  observe();
  return () => {
    clearTimeout(timer);
    observer?.disconnect();
  };
}

/**
 * Starts observing at the call, so that the state before the press doesn't count. Resolves to true as soon as an
 * observation says so, or to false after 300 ms.
 */
export function isElementVisible(element: Element, Observer?: typeof IntersectionObserver): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (seen: boolean) => {
      clearTimeout(timer);
      stop();
      resolve(seen);
    };
    const stop = watchSeen(element, (seen) => seen && answer(true), true, Observer);
    const timer = setTimeout(() => answer(false), patienceMs);
  });
}
