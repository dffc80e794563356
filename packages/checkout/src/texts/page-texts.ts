/**
 * The texts that a script may need before the others are loaded, and where to fetch those. They are JSON files on our
 * own origin, under a path with one hash over all of them, so that they always match this page.
 */
import type { Send } from "../service/send-request.ts";
import type { FirstTexts, Language, TextFile } from "./texts.ts";

/** What the build writes into the page (`#texts`). */
export type PageTexts = Pick<FirstTexts, "unreachable" | "retry">;

/** Fetches a language's file by its name; null if it can't be fetched. */
export type FetchTexts = (name: string) => Promise<TextFile | null>;

const patienceMs = 10_000;

/** @param path - The directory of the files: `/assets/texts/<hash>/`. */
export function fetchTextsBy(send: Send, path: string): FetchTexts {
  return async (name) => {
    // May come from the browser's cache, because the URL contains a hash of the content.
    const found = await send(`${path}${name}.json`, { cache: "default", timeoutMs: patienceMs });
    return found?.ok ? (found.body as TextFile) : null; // created by our build
  };
}

/** What a language's main file contains: everything except what only the HTML or the file for choices needs. */
export function textFileOf({ first, form, after }: Language): TextFile {
  const { needsScript: _, ...shown } = first;
  return { ...shown, ...form, after };
}

/** The writing direction of the texts for a language tag. Includes codes that `bestLanguage` reads as Hebrew or Persian. */
export function directionOf(tag: string): "ltr" | "rtl" {
  return /^(ara?|fas?|prs|heb?|iw)(?![a-z])/i.test(tag) ? "rtl" : "ltr";
}
