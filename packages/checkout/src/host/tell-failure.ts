/**
 * Tells the host page why this frame takes no payment, where no session says who may hold it: the secret is wrong, or
 * the browser is too old.
 *
 * The line goes to the one page that posted `init`, and only if the service lists that page's origin for the session in
 * our address. On it this one error is told and nothing else, and nothing is served. Anyone else hears nothing: their
 * port is closed.
 */
import type { FrameErrorCode, FrameEvents } from "@oriel/protocol/windows";
import { fetchSilenceReason } from "../service/silence-reason.ts";
import type { FrameCall } from "../service/frame-call.ts";
import type { HeldInit, InitInbox } from "./init-inbox.ts";
import type { PortLine } from "./port-line.ts";

export interface FailureWorld {
  inbox: InitInbox;
  sessionId: string;
  call: FrameCall;
  /** Opens a line on which nothing is served. */
  openLine(port: MessagePort, connected: () => void): PortLine;
}

/** In place of the line of `host-link.ts`: an init is taken once. */
export function tellFailure(code: FrameErrorCode, { inbox, sessionId, call, openLine }: FailureWorld): void {
  const tell = async ({ origin, protocol, port }: HeldInit): Promise<void> => {
    const why = protocol === null ? null : await fetchSilenceReason(call, sessionId, origin);
    if (!why?.listed) return port.close();
    const line = openLine(port, () => line.tell("error", { code } satisfies FrameEvents["error"]));
  };
  void inbox.then(tell);
}
