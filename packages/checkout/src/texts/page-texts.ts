/**
 * The words that stand in the page, and where the others are. They come as JSON from our own origin, by an address with
 * one hash over all of them, so that they fit this page.
 */
import type { FrameCall } from "../service/frame-call.ts";
import type { FirstTexts, LaterTexts } from "./texts.ts";

/** What the build writes into the page (`#texts`). */
export interface PageTexts {
  /** The page's own. */
  language: string;
  /** Where the files are: `/assets/texts/<hash>/`. */
  path: string;
  first: FirstTexts;
}

/** The files of a language. */
export interface TextFiles {
  /** For a page that is switched to it. */
  first: FirstTexts;
  later: LaterTexts;
}

/** Fetches a part of a language; null if it cannot be had now. */
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
    // Our own build's, by an address that only those bytes have.
    return found.kind === "answer" ? (found.body as TextFiles[P]) : null;
  };
}

/** The way a language is written, by its tag. */
export function directionOf(tag: string): "ltr" | "rtl" {
  return /^(ar|fa|he|ur)\b/.test(tag) ? "rtl" : "ltr";
}
