/**
 * Reports the available space to the iframe, initially and when it changes, so that the iframe can choose a challenge
 * window that fits.
 */
import type { AvailableSpace } from "@oriel/protocol/windows";

export interface SpaceWatch {
  reportSpace(): void;
  /** A new page was loaded, so report again. */
  forgetSpace(): void;
  stopSpaceWatch(): void;
}

/** The minimum time between messages, in milliseconds. */
const interval = 150;

/** @param send returns null if the iframe isn't connected yet */
export const watchSpace = (container: Element, send: (room: AvailableSpace) => Promise<unknown>): SpaceWatch => {
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
    reportSpace: report,
    forgetSpace() {
      sent = "";
    },
    stopSpaceWatch() {
      clearTimeout(timer);
      resized.disconnect();
      window.removeEventListener("resize", report);
    },
  };
};
