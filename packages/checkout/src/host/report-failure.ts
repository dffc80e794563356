/**
 * Tells the host page why this iframe can't take payments when no session could be opened: the secret is wrong, or the
 * browser is too old.
 *
 * Without the session, this page doesn't know which origins are allowed. It connects only to the page that posted
 * `init`, and only if the service says that the session in our URL lists that page's origin. It sends this one error
 * and handles no calls. For any other page, it closes the port without sending anything.
 */
import type { FrameErrorCode, FrameEvents } from "@oriel/protocol/windows";
import type { FrameCall } from "../service/frame-call.ts";
import { fetchSilenceReason } from "../service/timeout-reason.ts";
import type { HeldInit, InitInbox } from "./init-inbox.ts";
import type { PortConnection } from "./port-connection.ts";

export interface FailureWorld {
  inbox: InitInbox;
  sessionId: string;
  call: FrameCall;
  /** Opens a connection that handles no calls. */
  openConnection(port: MessagePort, connected: () => void): PortConnection;
}

/** Replaces the connection in `host-link.ts`, because an `init` can be used only once. */
export function reportFailureToHost(
  code: FrameErrorCode,
  { inbox, sessionId, call, openConnection }: FailureWorld,
): void {
  const report = async ({ origin, protocol, port }: HeldInit): Promise<void> => {
    const reason = protocol === null ? null : await fetchSilenceReason(call, sessionId, origin);
    if (!reason?.listed) return port.close();
    const connection = openConnection(port, () => connection.emit("error", { code } satisfies FrameEvents["error"]));
  };
  void inbox.then(report);
}
