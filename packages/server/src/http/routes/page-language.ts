/**
 * Which language the hosted page is served in: what the session names, else the dearest of those that the browser asks
 * for that there is, else English. The header is a stranger's: only so much of it is read, and what is no language tag
 * does not count.
 */
import { bestLanguage, fallbackLanguage } from "@oriel/protocol/languages";

/** Browsers send a few dozen letters. */
const longestHeader = 1_000;

/** @param locale the session's: a BCP 47 tag, or `auto`, or null where it names none */
export function pageLanguage(locale: string | null, acceptLanguage: string | undefined): string {
  if (locale !== null && locale !== "auto") return bestLanguage(locale) ?? fallbackLanguage;
  for (const tag of acceptedLanguages(acceptLanguage)) {
    const language = bestLanguage(tag);
    if (language !== null) return language;
  }
  return fallbackLanguage;
}

/** The tags of an `Accept-Language` (RFC 9110, 12.5.4), the dearest first, without those that are refused. */
export function acceptedLanguages(header = ""): string[] {
  return header
    .slice(0, longestHeader)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter));
      return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ tag, quality }) => /^[a-z\d-]{2,35}$/i.test(tag) && quality > 0 && quality <= 1)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}
