/**
 * Which language the page speaks. It was served in one, which is its own: the service has chosen it, and its first
 * words stand in it. A host page may want another.
 */
import { bestLanguage, fallbackLanguage } from "@oriel/protocol/languages";

export interface Choice {
  /** One that there is. */
  language: string;
  /** For `Intl`. */
  locale: string;
}

/**
 * The best language that there is for a locale that the host page names, or English. `auto` is the page's own.
 *
 * @param own the page's
 * @param asked what the browser asks for, the dearest first
 */
export function chooseLanguage(locale: string, own: string, asked: readonly string[]): Choice {
  if (locale === "auto") {
    const tag = asked.find((tag) => bestLanguage(tag) === own) ?? own;
    return { language: own, locale: inDigitsOfTheCard(tag) };
  }
  const language = bestLanguage(locale);
  return { language: language ?? fallbackLanguage, locale: inDigitsOfTheCard(language ? locale : fallbackLanguage) };
}

/** What `Intl` writes is written in the digits that stand on the card, and in its fields. */
function inDigitsOfTheCard(tag: string): string {
  return new Intl.Locale(tag, { numberingSystem: "latn" }).toString();
}
