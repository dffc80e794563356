/**
 * Reads what passes between the checkout page, the runner and the landing page: one origin, three windows.
 *
 * A message is believed only when it comes from our own origin *and* from the one window it can come from; both are the browser's word.
 * None of them carries a result, so the worst that a forged one could do is to make someone ask the service again.
 */
import { threeDSMessageType } from "@oriel/protocol/frame";
import type { ThreeDSMessage } from "@oriel/protocol/frame";

/** The message, or null when it is not one, or not from `sender` on `origin`. */
export function readThreeDSMessage(event: MessageEvent<unknown>, sender: Window | null, origin: string): ThreeDSMessage | null {
  const message = event.data;
  if (event.origin !== origin || event.source === null || event.source !== sender) return null;
  if (typeof message !== "object" || message === null || !("type" in message) || message.type !== threeDSMessageType) return null;
  const text = (key: string): string | null => {
    // `message` is an object; what stands under the key is checked on this line.
    const value = (message as Record<string, unknown>)[key];
    return typeof value === "string" && value.length <= 16_384 ? value : null;
  };
  const pixels = (key: string): number | null => {
    const value = (message as Record<string, unknown>)[key];
    return typeof value === "number" && value > 0 && value <= 10_000 ? value : null;
  };
  const step = text("step");
  switch (step) {
    case "ready":
    case "loaded":
      return { type: threeDSMessageType, step };
    case "notified": {
      const phase = text("phase");
      return phase === "method" || phase === "challenge" ? { type: threeDSMessageType, step, phase } : null;
    }
    case "method": {
      const url = text("url");
      const data = text("data");
      return url && data ? { type: threeDSMessageType, step, url, data } : null;
    }
    case "challenge": {
      const url = text("url");
      const creq = text("creq");
      return url && creq ? { type: threeDSMessageType, step, url, creq, width: pixels("width"), height: pixels("height") } : null;
    }
    case null:
    default:
      return null;
  }
}
