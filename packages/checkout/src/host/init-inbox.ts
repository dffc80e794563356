/**
 * Waits for the host page's `init`, responds with a receipt, and keeps its port until the service has said which
 * origins may embed this iframe.
 *
 * `checkout.ts` starts it, because the loader posts right after the iframe's `load`. It accepts the first
 * valid `init` from `window.parent` with exactly one port, and ignores all other messages. `host-link.ts` decides later
 * whether the sender is allowed. The receipt is sent before that, on the port only. It says that our page is running in
 * the iframe and which protocol version both sides support, and nothing about a session.
 */
import { type Here, hereType, negotiateProtocol, readInit } from "@oriel/protocol/windows";

export interface HeldInit {
  /** From the browser, never from the message's content. */
  origin: string;
  /** The protocol version that both sides support; null if there is none. */
  protocol: number | null;
  port: MessagePort;
}

/** Resolves when the `init` has arrived. */
export type InitInbox = Promise<HeldInit>;

export function holdInit(frame: Window): InitInbox {
  return new Promise((resolve) => {
    const receive = (event: MessageEvent<unknown>) => {
      if (event.source !== frame.parent || event.ports.length !== 1) return;
      const init = readInit(event.data);
      const port = event.ports[0];
      if (!init || !port) return;
      frame.removeEventListener("message", receive);
      const protocol = negotiateProtocol(init.protocol);
      port.postMessage({ type: hereType, protocol } satisfies Here);
      resolve({ origin: event.origin, protocol, port });
    };
    if (frame.parent !== frame) frame.addEventListener("message", receive);
  });
}
