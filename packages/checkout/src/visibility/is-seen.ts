/**
 * Whether an element can be seen, as far as the browser can tell.
 *
 * Where there is an IntersectionObserver of version 2 (Chromium), it also says whether something lies over the element,
 * or whether a page above has made it transparent, small or blurred. It never calls something visible that is not, but
 * for what the specification leaves out (`mask-image`, CSS `zoom`), and it does call some honest pages invisible: a
 * rounded picture of a chat over one corner, an opacity of .99, a page that is scaled. Elsewhere only the share that
 * lies within all the frames' edges is known. So this is a signal and not a proof; whoever asks must not lock anyone
 * out for it.
 *
 * Source: https://w3c.github.io/IntersectionObserver/v2/
 */

/** The signal lags by a frame, and by `delay` where something changes; a slow phone takes its time as well. */
const patienceMs = 300;
/** Edges that fall between two pixels cost a little. */
const enoughRatio = 0.99;

/** What TypeScript's DOM has not heard of yet. */
interface VisibilityInit extends IntersectionObserverInit {
  trackVisibility: boolean;
  /** The least that browsers take, in ms. */
  delay: 100;
}

/**
 * Reports whether the element is seen, and whether it lies within all edges: soon, and after each change.
 *
 * @param trackVisibility false: the edges are enough
 * @returns stops
 */
export function watchSeen(
  element: Element,
  report: (seen: boolean, isWithin: boolean) => void,
  trackVisibility = true,
  Observer: typeof IntersectionObserver = IntersectionObserver,
): () => void {
  const options: VisibilityInit = { trackVisibility, delay: 100, threshold: [0, enoughRatio] };
  const observer = new Observer((entries) => {
    for (const entry of entries) {
      const isWithin = entry.intersectionRatio >= enoughRatio;
      report(isWithin && isUncovered(observer, entry), isWithin);
    }
  }, options);
  observer.observe(element);
  return () => observer.disconnect();
}

/**
 * Observes after the call, so that what was true before the press proves nothing. Answers within 300 ms: true as soon
 * as an observation says so, false if none does.
 */
export function isSeen(element: Element, Observer?: typeof IntersectionObserver): Promise<boolean> {
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

/**
 * A browser without version 2 takes no notice of `trackVisibility`, and knows nothing of what lies over the element.
 */
function isUncovered(observer: IntersectionObserver, entry: IntersectionObserverEntry): boolean {
  return Reflect.get(observer, "trackVisibility") !== true || Reflect.get(entry, "isVisible") === true;
}
