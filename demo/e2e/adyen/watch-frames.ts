/** Records where in a page documents of which origins were shown. */
import type { Frame, Page } from "@playwright/test";

export interface WatchedFrames {
  /** Every place that had a document, as the origins from the page to it: `http://a > http://b`. */
  paths(): string[];
  /** How many windows the page has opened. */
  otherWindows(): number;
}

/** Starts recording. */
export function watchFrames(page: Page): WatchedFrames {
  const paths = new Set<string>();
  let windows = 0;
  page.on("popup", () => (windows += 1));
  page.on("framenavigated", (frame) => {
    if (frame.url() !== "about:blank") paths.add(pathOf(frame));
  });
  return { paths: () => [...paths], otherWindows: () => windows };
}

function pathOf(frame: Frame): string {
  const parent = frame.parentFrame();
  const { origin } = new URL(frame.url());
  return parent === null ? origin : `${pathOf(parent)} > ${origin}`;
}
