/**
 * Chooses the language of the page. The service renders the page in one language, with its first texts in the HTML. The
 * host page may want another.
 */
import { bestLanguage, fallbackLanguage } from "@oriel/protocol/languages";
import { localeTag } from "@oriel/protocol/locale-tag";

export interface Choice {
  /** A language that we have texts for. */
  language: string;
  /** For `Intl`. */
  locale: string;
}

/**
 * The best available language for the locale that the host page requests, or English. `auto` is the page's own
 * language.
 *
 * @param own the page's language
 * @param preferred the browser's languages, the most preferred first. Undefined in browsers that don't tell.
 */
export function chooseLanguage(locale: string, own: string, preferred: readonly string[] = []): Choice {
  if (locale === "auto") {
    const tag = preferred.find((tag) => bestLanguage(tag) === own) ?? own;
    return { language: own, locale: withLatinDigits(tag) };
  }
  const language = bestLanguage(locale);
  return { language: language ?? fallbackLanguage, locale: withLatinDigits(language ? locale : fallbackLanguage) };
}

/** Makes `Intl` use Latin digits, like those on the card and in its fields. */
function withLatinDigits(locale: string): string {
  const tag = new Intl.Locale(localeTag(locale) ?? fallbackLanguage, { numberingSystem: "latn" }).toString();
  return tag.replace("pt-u", "pt-PT-u"); // to `Intl`, `pt` is Brazilian, but our texts in `pt` are European
}
