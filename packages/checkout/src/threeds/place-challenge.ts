/**
 * Decides where the bank's page is shown and how large it is. This happens before authentication starts, because the
 * bank renders its page for the size it is given.
 *
 * In an iframe, the host page reports the available space: the container's width, the window's height, and how wide the
 * iframe is when enlarged. The iframe's own height is no guide, because it follows the content. Without a report, and
 * on a full page, the window's size counts.
 *
 * `auto` stays inline if 390x400 fits, the smallest window that banks' pages are commonly designed for, and enlarges
 * otherwise. No larger window is requested, so the panel is never much larger than the bank's page in it. On a narrow screen, the bank's page fills an enlarged iframe or a full page edge to edge (size
 * 05). If the host page can't enlarge the iframe, everything is inline.
 */
import { challengeWindowSize, challengeWindowSizes } from "@oriel/protocol/threeds";
import type { ChallengeWindowSize } from "@oriel/protocol/threeds";
import type { FrameSettings, AvailableSpace } from "@oriel/protocol/windows";

export type Presentation = "inline" | "overlay" | "redirect";

export interface ChallengePlace {
  /** The window size to request from the bank. */
  windowSize: ChallengeWindowSize;
  /** Where a window of this size is shown. Called again after a reload, when the size is already fixed. */
  presentation(windowSize: ChallengeWindowSize): Presentation;
  /** The height for a window without a fixed size, in CSS pixels. */
  heightOf(presentation: Presentation): number;
}

interface Area {
  width: number;
  height: number;
}

/**
 * Space for the merchant, amount, heading and Cancel above the bank's page; on a full page also the back link and the
 * card's padding.
 */
const headHeight = { frame: 140, fullPage: 220 };
/** The maximum width of a full page or an enlarged iframe; both are set in bank.css. */
const widest = 576;
/** Phones in portrait. */
const narrowBelow = 500;
/** Below this height, banks' pages don't work well. */
const leastHeight = 400;

export function placeChallenge(
  window: Window,
  reported: AvailableSpace | null,
  setting: FrameSettings["challenge"] = "auto",
): ChallengePlace {
  const width = window.document.documentElement.clientWidth || window.innerWidth;
  const windowHeight = reported?.height ?? window.innerHeight;
  const isFullPage = window.parent === window;
  const onPage = (pageWidth: number): Area => ({
    width: Math.min(pageWidth, widest),
    height: windowHeight - headHeight.fullPage,
  });
  const inline = isFullPage
    ? onPage(width)
    : { width: reported?.width ?? width, height: windowHeight - headHeight.frame };
  const full = isFullPage ? null : (reported?.full ?? null);
  const overlay = full === null ? null : { width: Math.min(full, widest), height: windowHeight - headHeight.frame };

  const presentation = (size: ChallengeWindowSize): Presentation => {
    if (isFullPage) return "inline";
    if (setting === "redirect") return "redirect";
    if (!overlay || setting === "inline") return "inline";
    return setting === "overlay" || !isComfortable(inline, size) ? "overlay" : "inline";
  };
  /** The size to request. An iframe that stays inline gets even the smallest size, rather than none. */
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

/** Whether a window of this size fits here and is large enough for banks' pages. */
function isComfortable(area: Area, size: ChallengeWindowSize): boolean {
  if (size === "05" || size === "01") return false;
  const [width, height] = challengeWindowSizes[size];
  return width <= area.width && height <= area.height;
}

/** The size if the bank's page has the whole screen: all of it on a narrow one. */
function roomySize({ width, height }: Area): ChallengeWindowSize {
  return width < narrowBelow ? "05" : challengeWindowSize(width, height);
}
