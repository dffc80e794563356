/**
 * The rest of this page's view of the host page: sends it events, and holds what it has reported.
 *
 * The last fifty events are queued until the host page is connected (`host-link.ts`), or dropped if it isn't allowed to
 * receive them. Every event is logged.
 */
import type { FrameEventName, FrameEvents, AvailableSpace } from "@oriel/protocol/windows";
import type { FrameLog } from "./frame-log.ts";

export interface HostPage {
  /** The latest room that the host page has reported; null before the first report. */
  room: AvailableSpace | null;
  /** Whether the host page receives events. */
  isLinked: boolean;
  emit<K extends FrameEventName>(name: K, detail: FrameEvents[K]): void;
  /** Sends the queued events, and all later ones, with `send`. */
  connect(send: (name: string, detail: object) => void): void;
}

export function createHostPage(log: Pick<FrameLog, "note">): HostPage {
  let queued: [name: string, detail: object][] = [];
  let send = (...event: [name: string, detail: object]): void => {
    queued = [...queued, event].slice(-50);
  };
  return {
    room: null,
    isLinked: false,
    emit(name, detail) {
      log.note("event", name);
      send(name, detail);
    },
    connect(to) {
      send = to;
      for (const event of queued) to(...event);
      queued = [];
    },
  };
}
