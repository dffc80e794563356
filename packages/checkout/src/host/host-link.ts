/**
 * The line to the host page: over the MessagePort that came with `init`, by `port-line.ts`.
 *
 * Refused, by closing the port without a further word: an origin that the session does not allow, a loader that speaks no version of ours.
 * What the host page may ask stands in `frame-verbs.ts`; a caller learns a code when something fails, never our words or a stack.
 */
import type { FrameEventName, FrameEvents } from "@oriel/protocol/windows";
import { frameVerbs } from "./frame-verbs.ts";
import type { HostOrders } from "./frame-verbs.ts";
import type { HeldInit, InitInbox } from "./init-inbox.ts";
import { openLine } from "./port-line.ts";

export interface HostLink {
  /** Tells the host page an event; kept (the last fifty) until someone listens, dropped when nobody may. */
  tell<K extends FrameEventName>(name: K, detail: FrameEvents[K]): void;
  /** Takes the `init`, now or when it comes, and speaks only to these origins. */
  open(allowedOrigins: readonly string[]): void;
}

export function createHostLink(inbox: InitInbox, connected: () => void, orders: HostOrders, now: () => number): HostLink {
  let kept: [name: FrameEventName, detail: object][] = [];
  let send = (name: FrameEventName, detail: object): void => {
    kept = [...kept, [name, detail] as [FrameEventName, object]].slice(-50);
  };
  const speak = (to: typeof send) => {
    const waiting = kept;
    kept = [];
    send = to;
    for (const [name, detail] of waiting) send(name, detail);
  };

  const accept = ({ origin, protocol, port }: HeldInit, allowedOrigins: readonly string[]): void => {
    if (!allowedOrigins.includes(origin) || protocol === null) {
      port.close();
      return speak(() => {});
    }
    const line = openLine(port, frameVerbs(orders, now), () => {
      speak(line.tell);
      connected();
    });
  };

  return {
    tell(name, detail) {
      send(name, detail);
    },
    open(allowedOrigins) {
      void inbox.then((init) => accept(init, allowedOrigins));
    },
  };
}
