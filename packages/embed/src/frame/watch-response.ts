/**
 * Detects an iframe that doesn't respond, finds out why and gives up after the timeout.
 *
 * A loaded iframe sends a receipt immediately. If it loads without sending one, we look up the reason, reload it once
 * and then give up. Some browsers don't even fire `load` for a blocked iframe, so we do the same if there is no receipt
 * after half of the timeout. After the timeout we give up. An iframe that sent its receipt is kept, because the
 * customer may be typing in it, and it's never reloaded while it has the focus.
 *
 * A prerendered page loads no iframes from other sites, so the time starts when the customer arrives.
 */
import type { CheckoutErrorCode } from "../api/checkout-error.ts";
import { askWhy } from "./diagnose.ts";
import type { EmbedUrl } from "../api/embed-url.ts";
import type { FrameBox } from "./frame-box.ts";
import { hasFocus, whenActive } from "../page/host-document.ts";

export interface SilenceWatch {
  /** The iframe starts to load. */
  start(): void;
  /** The iframe's `load` event, which some browsers also fire for a blocked page. */
  loaded(): void;
  /** The receipt arrived. */
  alive(): void;
  /** The iframe sent an event or failed. */
  stop(): void;
}

export interface SilentFrame {
  box: FrameBox;
  url(): EmbedUrl;
  timeoutMs: number;
  diagnosticId: string;
  reload(): void;
  /** @param mayLive the customer may be using the form */
  fail(code: CheckoutErrorCode, mayLive: boolean): void;
}

/** Milliseconds to wait for a receipt after `load`, long enough for a slow phone. */
const receiptMs = 3_000;

export function watchSilence({ box, url, timeoutMs, diagnosticId, reload, fail }: SilentFrame): SilenceWatch {
  let clocks: ReturnType<typeof setTimeout>[] = [];
  let hasLoaded = false;
  let isAlive = false;
  let hasRetried = false;

  const look = async (isLast: boolean): Promise<void> => {
    // Outside the document, the iframe can't respond. It loads again when it's inserted.
    if ((isAlive && !isLast) || !box.frame.isConnected) return;
    const mine = clocks;
    const why = await askWhy(url(), diagnosticId, box.element);
    if (mine !== clocks || (isAlive && !isLast)) return;
    if (why && why.session !== "open") fail(`session_${why.session}`, isAlive);
    else if (why && !why.listed) fail("origin_not_allowed", isAlive);
    else if (!isLast && !hasRetried && !hasFocus(box.frame)) {
      hasRetried = true;
      hasLoaded = false;
      reload();
    } else if (isLast || (hasRetried && hasLoaded)) {
      fail(why ? (isAlive ? "handshake_timeout" : "frame_refused") : "network", isAlive);
    }
  };
  const after = (ms: number, isLast: boolean) => clocks.push(setTimeout(() => void look(isLast), ms));
  const stop = () => {
    for (const clock of clocks) clearTimeout(clock);
    clocks = [];
  };

  return {
    start() {
      stop();
      hasLoaded = isAlive = hasRetried = false;
      const mine = clocks;
      whenActive(() => {
        if (mine !== clocks) return;
        after(timeoutMs / 2, false);
        after(timeoutMs, true);
      });
    },
    loaded() {
      hasLoaded = true;
      isAlive = false;
      if (clocks.length > 0) after(receiptMs, false);
    },
    alive() {
      isAlive = true;
    },
    stop,
  };
}
