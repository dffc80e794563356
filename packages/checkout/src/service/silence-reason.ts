/**
 * Asks the service why a frame is silent: how things stand with a session, and whether it lists an origin. No secret
 * and no token is needed, and the answer says no more than the `frame-ancestors` of the session's page. Our own service
 * on our own origin is believed.
 */
import type { FrameWhy } from "@oriel/protocol/frame";
import type { FrameCall } from "./frame-call.ts";

const answerTimeoutMs = 5_000;

/** Null when the service has no answer. `origin` is the browser's word, never a message's. */
export async function fetchSilenceReason(call: FrameCall, sessionId: string, origin: string): Promise<FrameWhy | null> {
  const found = await call({
    method: "GET",
    path: `/frame/sessions/${sessionId}/why?origin=${encodeURIComponent(origin)}`,
    timeoutMs: answerTimeoutMs,
  });
  if (found.kind !== "answer") return null;
  // From our own origin, under our own type; rebuilt, so that nothing else goes on.
  const { session, listed } = found.body as FrameWhy;
  return { session, listed };
}
