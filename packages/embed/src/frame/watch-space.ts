/**
 * Reports the available space to the iframe, initially and when it changes, so that the iframe can choose a challenge
 * window that fits.
 */
import type { AvailableSpace } from "@oriel/protocol/windows";

export interface SpaceWatch {
  report(): void;
  /** A new page was loaded, so report again. */
  forget(): void;
  stop(): void;
}

/** The minimum time between messages, in milliseconds. */
const interval = 150;

/** @param send returns null if the iframe isn't connected yet */
export function watchSpace(container: Element, send: (room: AvailableSpace) => Promise<unknown>): SpaceWatch {
  let sent = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  const report = () => {
    timer ??= setTimeout(async () => {
      timer = undefined;
      const room: AvailableSpace = { width: Math.floor(container.clientWidth), height: innerHeight, full: innerWidth };
      const text = JSON.stringify(room);
      if (text !== sent && (await send(room)) !== null) sent = text;
    }, interval);
  };
  const resized = new ResizeObserver(report);
  resized.observe(container);
  window.addEventListener("resize", report);

  return {
    report,
    forget() {
      sent = "";
    },
    stop() {
      clearTimeout(timer);
      resized.disconnect();
      window.removeEventListener("resize", report);
    },
  };
}
