/**
 * The languages of the hosted page, and which of them somebody gets. The service picks a page by it, and the page a
 * language for a host page that wants another: both by this one list.
 *
 * A language is named by the shortest BCP 47 tag that tells it from the others. CONTRIBUTING.md says how to add one.
 */
export const languages =
  "ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sv th tr uk vi zh-Hans zh-Hant".split(
    " ",
  );

/** What somebody gets who asks for none of them. */
export const fallbackLanguage = "en";

/** Macrolanguages and neighbours that are read by people of a language we have. */
const readAs: Readonly<Record<string, string>> = { no: "nb", nn: "nb" };

/**
 * The language for a BCP 47 tag, by RFC 4647's lookup; where writing differs, as in Chinese, the region says how it is
 * written. Null: we have none.
 *
 * @example bestLanguage("de-CH") // "de"
 * @example bestLanguage("zh-TW") // "zh-Hant"
 * @example bestLanguage("sr") // null
 */
export function bestLanguage(tag: string): string | null {
  let locale: Intl.Locale;
  try {
    locale = new Intl.Locale(tag);
  } catch {
    return null; // no tag at all
  }
  const { language, region } = locale;
  const wanted = [`${language}-${locale.maximize().script}`, `${language}-${region}`, readAs[language] ?? language];
  return wanted.find((name) => languages.includes(name)) ?? null;
}
