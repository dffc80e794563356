/**
 * The texts in the HTML, and where to fetch the others. They are JSON files on our own origin, under a path with one
 * hash over all of them, so that they always match this page.
 */
import type { FrameCall } from "../service/frame-call.ts";
import type { FirstTexts, LaterTexts } from "./texts.ts";

/** What the build writes into the page (`#texts`). */
export interface PageTexts {
  /** The page's own language. */
  language: string;
  /** The directory of the files: `/assets/texts/<hash>/`. */
  path: string;
  first: FirstTexts;
}

/** The text files of one language. */
export interface TextFiles {
  /** For a page that switches to this language. */
  first: FirstTexts;
  later: LaterTexts;
}

/** Fetches one part of a language; null if it can't be fetched. */
export type FetchTexts = <P extends keyof TextFiles>(language: string, part: P) => Promise<TextFiles[P] | null>;

const patienceMs = 10_000;

export function fetchTextsBy(call: FrameCall, { path }: PageTexts): FetchTexts {
  return async <P extends keyof TextFiles>(language: string, part: P) => {
    const found = await call({
      method: "GET",
      path: `${path}${language}.${part}.json`,
      timeoutMs: patienceMs,
      isImmutable: true,
    });
    // Created by our build, under a URL with a hash of the content.
    return found.kind === "answer" ? (found.body as TextFiles[P]) : null;
  };
}

/** The writing direction of a language, by its tag. */
export function directionOf(tag: string): "ltr" | "rtl" {
  return /^(ar|fa|he|ur)\b/.test(tag) ? "rtl" : "ltr";
}
