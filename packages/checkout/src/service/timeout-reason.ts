/**
 * Asks the service why an iframe is silent: the session's state, and whether the session lists an origin. This needs no
 * secret and no token, and the response reveals no more than the `frame-ancestors` of the session's page. The service
 * is ours and on our own origin, so it's trusted.
 */
import type { FrameWhy } from "@oriel/protocol/frame";
import type { FrameCall } from "./frame-call.ts";

const answerTimeoutMs = 5_000;

/** Returns null if the service doesn't respond. `origin` must come from the browser, never from a message's content. */
export async function fetchSilenceReason(call: FrameCall, sessionId: string, origin: string): Promise<FrameWhy | null> {
  const found = await call({
    method: "GET",
    path: `/frame/sessions/${sessionId}/why?origin=${encodeURIComponent(origin)}`,
    timeoutMs: answerTimeoutMs,
  });
  if (found.kind !== "answer") return null;
  // From our own origin, under our own type. Rebuilt, so that no other fields are passed on.
  const { session, listed } = found.body as FrameWhy;
  return { session, listed };
}
