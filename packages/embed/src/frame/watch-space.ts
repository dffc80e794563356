/**
 * Reports the available space to the iframe, initially and when it changes, so that the iframe can choose a challenge
 * window that fits.
 */
import type { Room } from "@oriel/protocol/windows";

export interface SpaceWatch {
  look(): void;
  /** A new page was loaded, so report again. */
  forget(): void;
  stop(): void;
}

/** The minimum time between messages, in milliseconds. */
const interval = 150;

/** @param tell returns null if the iframe isn't connected yet */
export function watchSpace(container: Element, tell: (room: Room) => Promise<unknown>): SpaceWatch {
  let told = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  const look = () => {
    timer ??= setTimeout(async () => {
      timer = undefined;
      const room: Room = { width: Math.floor(container.clientWidth), height: innerHeight, full: innerWidth };
      const text = JSON.stringify(room);
      if (text !== told && (await tell(room)) !== null) told = text;
    }, interval);
  };
  const resized = new ResizeObserver(look);
  resized.observe(container);
  window.addEventListener("resize", look);

  return {
    look,
    forget() {
      told = "";
    },
    stop() {
      clearTimeout(timer);
      resized.disconnect();
      window.removeEventListener("resize", look);
    },
  };
}
