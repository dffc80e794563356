/**
 * Tells a host page why a session's iframe is silent: the session's state, and whether the session lists the page's
 * origin. The loader opens this page in a hidden iframe when the session's iframe sends no message. From outside, it
 * can't tell whether the browser blocked the iframe, the origin isn't listed, or the server is down.
 *
 * Any page may ask, so this page has nothing worth stealing: no card fields, secret or token, and it reveals no more
 * than the `frame-ancestors` of the session's own page, which anyone who knows the session's ID can see. Like that
 * page, it accepts one `init`. It asks the service about the origin that the browser reports, and sends one event. If
 * the service doesn't respond within five seconds, it sends nothing, and the loader times out and reports `network`.
 */
import type { FrameEvents } from "@oriel/protocol/windows";
import type { FrameCall } from "../service/frame-call.ts";
import { fetchSilenceReason } from "../service/timeout-reason.ts";
import { holdInit } from "./init-inbox.ts";
import type { HeldInit } from "./init-inbox.ts";
import { noVerbs, openConnection } from "./port-connection.ts";

export function explainTimeout(window: Window, call: FrameCall): void {
  const session = new URLSearchParams(window.location.search).get("session");
  if (!session || !/^cs_[0-9A-Za-z_]{1,80}$/.test(session)) return;
  void holdInit(window).then((init) => answer(init, session, call));
}

function answer({ origin, protocol, port }: HeldInit, session: string, call: FrameCall): void {
  if (protocol === null) return port.close();
  const request = fetchSilenceReason(call, session, origin);
  const connection = openConnection(port, noVerbs, async () => {
    const reason = await request;
    if (reason) connection.emit("why", reason satisfies FrameEvents["why"]);
  });
}
