/**
 * Waits for the host page's one `init`, answers it with a receipt, and keeps its port until the service has said who
 * may hold this frame.
 *
 * It listens from the first script on, because the loader posts right after the frame's `load`. Taken is the first
 * well-formed `init` with exactly one port from `window.parent`; whatever else is posted here, from whomever, is not
 * answered and not read further. Whether the sender is allowed is decided later, in `host-link.ts`. The receipt goes
 * out before that, on the port alone: it says that a page of ours is alive in here and which version both speak, and
 * nothing of a session.
 */
import { type Here, hereType, negotiateProtocol, readInit } from "@oriel/protocol/windows";

export interface HeldInit {
  /** As the browser tells it, never as the message does. */
  origin: string;
  /** The version that both speak; null, there is none. */
  protocol: number | null;
  port: MessagePort;
}

/** The one `init`, once it has come. */
export type InitInbox = Promise<HeldInit>;

export function holdInit(frame: Window): InitInbox {
  return new Promise((resolve) => {
    const receive = (event: MessageEvent<unknown>) => {
      if (event.source !== frame.parent || event.ports.length !== 1) return;
      const init = readInit(event.data);
      const port = event.ports[0];
      if (!init || !port) return;
      frame.removeEventListener("message", receive);
      const held = { origin: event.origin, protocol: negotiateProtocol(init.protocol), port };
      port.postMessage({ type: hereType, protocol: held.protocol } satisfies Here);
      resolve(held);
    };
    if (frame.parent !== frame) frame.addEventListener("message", receive);
  });
}
