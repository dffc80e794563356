/**
 * The rest of this page's view of the host page: sends it events, and holds what it has reported.
 *
 * The last fifty events are kept until the host page is connected (`host-link.ts`), or dropped if it isn't allowed to
 * receive them. Every event is logged.
 */
import type { FrameEventName, FrameEvents, Room } from "@oriel/protocol/windows";
import type { FrameLog } from "./frame-log.ts";

export interface HostPage {
  /** The latest room that the host page has reported; null before the first report. */
  room: Room | null;
  /** Whether the host page receives events. */
  isLinked: boolean;
  tell<K extends FrameEventName>(name: K, detail: FrameEvents[K]): void;
  /** Sends the kept events, and all later ones, with `send`. */
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
