/**
 * Tells a host page why the frame of a session is silent: whether the session lives, and whether it lists the page's
 * origin. The loader opens this page in a hidden frame when a frame gave no sign of life, which looks the same whether
 * it was refused, is unlisted or its server is dead.
 *
 * Any page may ask, so there is nothing to win here: no card field, no secret, no token, and no more than the
 * `frame-ancestors` of the session's own page says to whoever knows its id. It takes one `init` as that page does, asks
 * the service about the origin that the browser named, and tells one event. When the service has no answer within five
 * seconds it says nothing, and the loader's own clock calls that `network`.
 */
import type { FrameEvents } from "@oriel/protocol/windows";
import { fetchSilenceReason } from "../service/silence-reason.ts";
import type { FrameCall } from "../service/frame-call.ts";
import { holdInit } from "./init-inbox.ts";
import type { HeldInit } from "./init-inbox.ts";
import { noVerbs, openLine } from "./port-line.ts";

export function explainSilence(window: Window, call: FrameCall): void {
  const session = new URLSearchParams(window.location.search).get("session");
  if (!session || !/^cs_[0-9A-Za-z_]{1,80}$/.test(session)) return;
  void holdInit(window).then((init) => answer(init, session, call));
}

function answer({ origin, protocol, port }: HeldInit, session: string, call: FrameCall): void {
  if (protocol === null) return port.close();
  const asked = fetchSilenceReason(call, session, origin);
  const line = openLine(port, noVerbs, async () => {
    const why = await asked;
    if (why) line.tell("why", why satisfies FrameEvents["why"]);
  });
}
