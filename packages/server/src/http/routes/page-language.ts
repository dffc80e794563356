/**
 * Chooses the language of the checkout page: the session's language, or the available language that the browser
 * prefers, or English. The header is untrusted, so it is read up to a limit, and anything that isn't a language tag is
 * ignored.
 */
import { bestLanguage, fallbackLanguage } from "@oriel/protocol/languages";

/** Browsers send only a few dozen characters. */
const longestHeader = 1_000;

/** @param locale the session's locale: a locale such as `de-DE`, `auto`, or null if it isn't set */
export function pageLanguage(locale: string | null, acceptLanguage: string | undefined): string {
  if (locale !== null && locale !== "auto") return bestLanguage(locale) ?? fallbackLanguage;
  for (const tag of acceptedLanguages(acceptLanguage)) {
    const language = bestLanguage(tag);
    if (language !== null) return language;
  }
  return fallbackLanguage;
}

/** Returns the tags of an `Accept-Language` header (RFC 9110, 12.5.4) by preference, without those with `q=0`. */
export function acceptedLanguages(header = ""): string[] {
  return header
    .slice(0, longestHeader)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter));
      return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ tag, quality }) => /^[a-z\d_-]{2,35}$/i.test(tag) && quality > 0 && quality <= 1)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}
