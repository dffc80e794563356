/**
 * Where the bank's page will stand and how large it will be, decided before the bank is asked, because the bank draws
 * for the size it was told.
 *
 * In a frame the host page says what room there is: the container's width, the window's height, and how wide the frame
 * becomes when it grows over the page. The frame grows with its content, so its own height says nothing. Without a word
 * from the host page, and on a page of our own, it is what the window has.
 *
 * `auto` stays inline where at least 390x400 fits, the smallest window that banks' pages are commonly drawn for, and
 * grows otherwise. A grown frame, or a page of our own, on a narrow screen is filled to its edges (05). Where the host
 * page cannot grow the frame, all is inline.
 */
import { challengeWindowSize, challengeWindowSizes } from "@oriel/protocol/threeds";
import type { ChallengeWindowSize } from "@oriel/protocol/threeds";
import type { FrameSettings, Room } from "@oriel/protocol/windows";

export type Presentation = "inline" | "overlay" | "redirect";

export interface ChallengePlace {
  /** The size to ask the bank for. */
  windowSize: ChallengeWindowSize;
  /** Where a window of this size is shown; asked again after a reload, when the size is given. */
  presentation(windowSize: ChallengeWindowSize): Presentation;
  /** What a window without a size of its own gets, in CSS pixels. */
  heightOf(presentation: Presentation): number;
}

interface Area {
  width: number;
  height: number;
}

/**
 * Merchant, amount, heading and Cancel above the bank's page; on a page of our own also the way back and the card's
 * edges.
 */
const headHeight = { frame: 140, fullPage: 220 };
/** The widest that a page of our own, or a grown frame, becomes: both in after-pay.css. */
const widest = 576;
/** Phones, upright. */
const narrowBelow = 500;
/** Below this no bank's page is at ease. */
const leastHeight = 400;

export function placeChallenge(
  window: Window,
  told: Room | null,
  wish: FrameSettings["challenge"] = "auto",
): ChallengePlace {
  const width = window.document.documentElement.clientWidth || window.innerWidth;
  const windowHeight = told?.height ?? window.innerHeight;
  const isFullPage = window.parent === window;
  const onPage = (pageWidth: number): Area => ({
    width: Math.min(pageWidth, widest),
    height: windowHeight - headHeight.fullPage,
  });
  const inline = isFullPage ? onPage(width) : { width: told?.width ?? width, height: windowHeight - headHeight.frame };
  const full = isFullPage ? null : (told?.full ?? null);
  const overlay = full === null ? null : { width: Math.min(full, widest), height: windowHeight - headHeight.frame };

  const presentation = (size: ChallengeWindowSize): Presentation => {
    if (isFullPage) return "inline";
    if (wish === "redirect") return "redirect";
    if (!overlay || wish === "inline") return "inline";
    return wish === "overlay" || !isAtEase(inline, size) ? "overlay" : "inline";
  };
  /** The size for a place; `inline` in a frame takes the smallest too, rather than none. */
  const windowSize = (): ChallengeWindowSize => {
    if (isFullPage) return roomySize(inline);
    const snug = challengeWindowSize(inline.width, inline.height);
    switch (presentation(snug)) {
      case "redirect":
        return roomySize(onPage(full ?? inline.width));
      case "overlay":
        return roomySize(overlay ?? inline);
      case "inline":
        return snug;
    }
  };
  return {
    windowSize: windowSize(),
    presentation,
    heightOf: (where) => Math.max((where === "overlay" && overlay ? overlay : inline).height, leastHeight),
  };
}

/** Does a window of this size fit here, and is it one that banks' pages are at ease in? */
function isAtEase(area: Area, size: ChallengeWindowSize): boolean {
  if (size === "05" || size === "01") return false;
  const [width, height] = challengeWindowSizes[size];
  return width <= area.width && height <= area.height;
}

/** The size where the bank's page has the screen to itself: on a narrow one, all of it. */
function roomySize({ width, height }: Area): ChallengeWindowSize {
  return width < narrowBelow ? "05" : challengeWindowSize(width, height);
}
