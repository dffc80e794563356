/** Tells the frame how much room there is, now and whenever that changes: the bank's page is chosen to fit it. */
import type { Room } from "@oriel/protocol/windows";

export interface RoomWatch {
  look(): void;
  /** The frame is a new one, which has been told nothing. */
  forget(): void;
  stop(): void;
}

/** At most one message in this time, in milliseconds. */
const interval = 150;

/** @param tell answers null when nobody could be told yet */
export function watchRoom(container: Element, tell: (room: Room) => Promise<unknown>): RoomWatch {
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
