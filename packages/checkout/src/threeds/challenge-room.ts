/**
 * How much room there is for the bank's page. In a frame the host page says what it could give (the frame grows with its content, so its
 * own height says nothing); without a word from it, and on a page of our own, it is what the window has.
 */
import type { Room } from "@oriel/protocol/windows";

/** Merchant, amount, heading and Cancel above the bank's page; on a page of our own also the way back and the card's edges. */
const headHeight = { frame: 140, fullPage: 220 };
/** The widest that a page of our own becomes; see `.full main[data-view="bank"]` in checkout.css. */
const fullPageWidth = 576;

export function challengeRoom(window: Window, told: Room | null): Room {
  const width = window.document.documentElement.clientWidth || window.innerWidth;
  if (window.parent === window)
    return { width: Math.min(width, fullPageWidth), height: window.innerHeight - headHeight.fullPage };
  return { width: told?.width ?? width, height: (told?.height ?? window.innerHeight) - headHeight.frame };
}
