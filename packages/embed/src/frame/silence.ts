/**
 * Notices when a frame never answers, finds out why, and gives up in time.
 *
 * A frame that has loaded sends a receipt at once. Loaded without one it is dead: we ask why, have it loaded once more,
 * and give up. Some browsers tell nothing of a frame that was refused, not even `load`; so without a receipt after half
 * of the time we do the same. When the time is over we give up. A frame that has sent its receipt is left standing,
 * because somebody may be typing in it, and nobody is interrupted who is.
 */
import type { CheckoutErrorCode } from "../checkout/checkout-error.ts";
import { askWhy } from "./diagnose.ts";
import type { EmbedUrl } from "../checkout/embed-url.ts";
import type { FrameBox } from "./frame-box.ts";
import { hasFocus } from "../host-document.ts";

export interface SilenceWatch {
  /** The frame begins to load. */
  start(): void;
  /** The iframe's `load`, which browsers also give for a page that was refused. */
  loaded(): void;
  /** The receipt came. */
  alive(): void;
  /** It has spoken, or is beyond help. */
  stop(): void;
}

export interface SilentFrame {
  box: FrameBox;
  url(): EmbedUrl;
  timeoutMs: number;
  diagnosticId: string;
  reload(): void;
  /** @param mayLive somebody may be typing in there */
  fail(code: CheckoutErrorCode, mayLive: boolean): void;
}

/** For a receipt from a slow phone, in milliseconds. */
const receiptMs = 3_000;

export function watchSilence({ box, url, timeoutMs, diagnosticId, reload, fail }: SilentFrame): SilenceWatch {
  let clocks: ReturnType<typeof setTimeout>[] = [];
  let hasLoaded = false;
  let isAlive = false;
  let hasRetried = false;

  const look = async (isLast: boolean): Promise<void> => {
    // Out of the document it can say nothing, and comes back as a new load.
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
      after(timeoutMs / 2, false);
      after(timeoutMs, true);
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
