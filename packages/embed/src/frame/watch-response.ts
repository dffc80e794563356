/**
 * Detects an iframe that doesn't respond, finds out why and gives up after the timeout.
 *
 * A loaded iframe sends a receipt immediately. If it loads without sending one, we find out the reason, reload it once
 * and then give up. Some browsers don't even fire `load` for a blocked iframe, so we do the same if there is no receipt
 * after half of the timeout. After the timeout we give up. An iframe that sent its receipt is kept, because the
 * customer may be typing in it, and it's never reloaded while it has the focus.
 *
 * A prerendered page loads no iframes from other sites, so the time starts when the customer arrives.
 */
import type { CheckoutErrorCode } from "../api/checkout-error.ts";
import type { EmbedUrl } from "../api/embed-url.ts";
import { hasFocus, whenActive } from "../page/host-document.ts";
import { findReason } from "./diagnose.ts";

export interface ResponseWatch {
  /** The iframe starts to load. */
  startTimers(): void;
  /** The iframe's `load` event, which some browsers also fire for a blocked page. */
  pageLoaded(): void;
  /** The receipt arrived. */
  responded(): void;
  /** The iframe sent an event or failed. */
  stopTimers(): void;
}

export interface WatchedFrame {
  readonly boxElement: HTMLElement;
  readonly iframeElement: HTMLIFrameElement;
  readonly sessionUrl: EmbedUrl;
  readonly firstHolder: { timeoutMs: number; diagnosticId: string };
}

/** Milliseconds to wait for a receipt after `load`, long enough for a slow phone. */
const receiptMs = 3_000;

/** @param fail `mayLive`: the customer may be using the form */
export const watchResponse = (
  frame: WatchedFrame,
  reload: () => void,
  fail: (code: CheckoutErrorCode, mayLive: boolean) => void,
): ResponseWatch => {
  let timers: ReturnType<typeof setTimeout>[] = [];
  let hasLoaded = false;
  let hasResponded = false;
  let hasRetried = false;

  const check = async (isLast: boolean): Promise<void> => {
    // Outside the document, the iframe can't respond. It loads again when it's inserted.
    if ((hasResponded && !isLast) || !frame.iframeElement.isConnected) return;
    const started = timers;
    const why = await findReason(frame.sessionUrl, frame.firstHolder.diagnosticId, frame.boxElement);
    if (started !== timers || (hasResponded && !isLast)) return;
    if (why && why.session !== "open") fail(`session_${why.session}`, hasResponded);
    else if (why && !why.listed) fail("origin_not_allowed", hasResponded);
    else if (!isLast && !hasRetried && !hasFocus(frame.iframeElement)) {
      hasRetried = true;
      hasLoaded = false;
      reload();
    } else if (isLast || (hasRetried && hasLoaded)) {
      fail(why ? (hasResponded ? "handshake_timeout" : "frame_refused") : "network", hasResponded);
    }
  };
  const after = (ms: number, isLast: boolean) => timers.push(setTimeout(() => void check(isLast), ms));
  const stop = () => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };

  return {
    startTimers() {
      stop();
      hasLoaded = hasResponded = hasRetried = false;
      const started = timers;
      whenActive(() => {
        if (started !== timers) return;
        after(frame.firstHolder.timeoutMs / 2, false);
        after(frame.firstHolder.timeoutMs, true);
      });
    },
    pageLoaded() {
      hasLoaded = true;
      hasResponded = false;
      if (timers.length > 0) after(receiptMs, false);
    },
    responded() {
      hasResponded = true;
    },
    stopTimers: stop,
  };
};
