import { localeTag } from "./locale-tag.ts";

/**
 * The checkout page's languages and how one is chosen. The service uses this to choose a page, and the page uses it
 * when the host page asks for another language.
 *
 * Each language has the shortest BCP 47 tag that distinguishes it from the others. CONTRIBUTING.md explains how to add
 * one.
 */
export const languages =
  "ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sv th tr uk vi zh-Hans zh-Hant".split(
    " ",
  );

/** The language for customers whose own isn't supported. */
export const fallbackLanguage = "en";

/** Languages whose speakers can read a supported one. */
const readAs: Readonly<Record<string, string>> = { no: "nb", nn: "nb", yue: "zh-Hant" };

/**
 * Finds the best supported language for a locale with RFC 4647 lookup, or null. For languages with several scripts,
 * such as Chinese, the region determines the script.
 *
 * @example bestLanguage("de-CH") // "de"
 * @example bestLanguage("zh-TW") // "zh-Hant"
 * @example bestLanguage("sr") // null
 */
export function bestLanguage(tag: string): string | null {
  const known = localeTag(tag);
  if (!known) return null;
  const locale = new Intl.Locale(known);
  const { language, region } = locale;
  const wanted = [`${language}-${locale.maximize().script}`, `${language}-${region}`, readAs[language] ?? language];
  return wanted.find((name) => languages.includes(name)) ?? null;
}
