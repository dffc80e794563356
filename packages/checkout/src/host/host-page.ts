/**
 * The host page, as the rest of this page knows it: what it is told, and what it has told us.
 *
 * Events are kept (the last fifty) until there is a line to the host page (`host-link.ts`), or dropped if nobody may
 * hear them. Each is noted in the log.
 */
import type { FrameEventName, FrameEvents, Room } from "@oriel/protocol/windows";
import type { FrameLog } from "./frame-log.ts";

export interface HostPage {
  /** As last told by the host page; null until then. */
  room: Room | null;
  /** Whether the host page hears what it is told. */
  isLinked: boolean;
  tell<K extends FrameEventName>(name: K, detail: FrameEvents[K]): void;
  /** Sends what was kept, and everything from now on. */
  sendBy(send: (name: string, detail: object) => void): void;
}

export function createHostPage(log: Pick<FrameLog, "note">): HostPage {
  let kept: [name: string, detail: object][] = [];
  let send = (...event: [name: string, detail: object]): void => {
    kept = [...kept, event].slice(-50);
  };
  return {
    room: null,
    isLinked: false,
    tell(name, detail) {
      log.note("event", name);
      send(name, detail);
    },
    sendBy(to) {
      send = to;
      for (const event of kept) to(...event);
      kept = [];
    },
  };
}
