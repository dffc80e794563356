/**
 * Runs in every page and iframe before its own scripts. Reports through a browser binding when something becomes
 * usable. It's sent as text, so each function must be self-contained.
 *
 * All times are milliseconds since 1970, because the processes share only the machine's clock.
 */

/** The binding's name: a function that takes text. */
export const binding = "benchReport";

/**
 * `shown`: the form's iframe in the page is visible. `usable`: the form in its iframe is usable. `requested` is when
 * the iframe's page was requested, and `received` when its last byte arrived.
 */
export type Report =
  | { what: "shown"; at: number }
  | { what: "usable"; requested: number; received: number; focusable: number; attached: number }
  | { what: "navigated" | "mounted" | "ready"; at: number };

export interface ProbeOptions {
  binding: string;
  /** The form's first field. */
  field: string;
  /** Prefix of the URL of the form's iframe. */
  frameUrl: string;
}

export function probeSource(options: ProbeOptions): string {
  return `(${probe.toString()})(${JSON.stringify(options)})`;
}

function probe({ binding, field, frameUrl }: ProbeOptions): void {
  // The browser provides this function.
  const send = (report: Report) => (Reflect.get(window, binding) as (text: string) => void)(JSON.stringify(report));
  const now = () => performance.timeOrigin + performance.now();
  const isVisible = (element: Element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  if (window === window.top) {
    watch(findFrame);
    watchTasks();
  } else if (location.href.startsWith(frameUrl)) watchForm();

  /** See {@link longTasks}. */
  function watchTasks(): void {
    const tasks: number[] = [];
    Reflect.set(window, "longTasks", tasks);
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    });
    observer.observe({ type: "longtask", buffered: true });
  }

  /** Reports once the whole page is loaded, because its last byte may arrive after the field is usable. */
  function reportUsable(focusable: number, attached: number): void {
    // All entries of this type are navigation timings.
    const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    if (page === undefined || page.responseEnd === 0) return void setTimeout(reportUsable, 5, focusable, attached);
    const requested = performance.timeOrigin + page.requestStart;
    send({ what: "usable", requested, received: performance.timeOrigin + page.responseEnd, focusable, attached });
  }

  /** Checks after each DOM mutation and each animation frame until the element is found. */
  function watch(isThere: () => boolean): void {
    let isFound = false;
    const check = () => {
      isFound ||= isThere();
      if (isFound) observer.disconnect();
    };
    const observer = new MutationObserver(check);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    const draw = () => {
      check();
      if (!isFound) requestAnimationFrame(draw);
    };
    draw();
  }

  function findFrame(): boolean {
    const frames = [...document.querySelectorAll("iframe")].filter(({ src }) => src.startsWith(frameUrl));
    const shown = frames.find((frame) => {
      const { width, height } = frame.getBoundingClientRect();
      return width >= 40 && height >= 20 && isVisible(frame);
    });
    if (shown !== undefined) send({ what: "shown", at: now() });
    return shown !== undefined;
  }

  /** A field is usable if it's focusable and it or an ancestor has a listener for key events. */
  function watchForm(): void {
    const listening = new WeakSet<EventTarget>();
    const add = EventTarget.prototype.addEventListener;
    let focusable: number | null = null;
    EventTarget.prototype.addEventListener = function (this: EventTarget | undefined, type, ...rest) {
      const target = this ?? window;
      if (/^(input|beforeinput|keydown|keypress)$/.test(type)) listening.add(target);
      add.call(target, type, ...rest);
    };
    watch(() => {
      const input = document.querySelector<HTMLInputElement>(field);
      if (input === null) return false;
      // Only until the field is focusable, because these checks force a layout, which would delay the listeners.
      if (focusable === null) {
        if (input.disabled || input.readOnly || !isVisible(input)) return false;
        input.focus({ preventScroll: true });
        if (document.activeElement !== input) return false;
        focusable = now();
      }
      const line: EventTarget[] = [input, window];
      for (let above = input.parentNode; above !== null; above = above.parentNode) line.push(above);
      if (input.oninput === null && !line.some((target) => listening.has(target))) return false;
      reportUsable(focusable, now());
      return true;
    });
  }
}

/**
 * An expression that returns the page's long tasks so far, in milliseconds: those that kept its main thread busy for
 * more than 50 ms.
 */
export const longTasks = "longTasks";

/** Runs in the form's iframe before the first key press. Measures from each key press until its result is painted. */
export function watchKeysSource(field: string): string {
  return `(${watchKeys.toString()})(${JSON.stringify(field)})`;
}

/** An expression that returns the delays so far. */
export const keyDelays = "keyDelays";

function watchKeys(field: string): void {
  const delays: number[] = [];
  Reflect.set(window, "keyDelays", delays);
  const painted = (at: number) => void delays.push(performance.now() - at);
  document.querySelector(field)?.addEventListener(
    "keydown",
    ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(painted, 0, timeStamp)); // a separate task, after painting
    },
    { capture: true },
  );
}
