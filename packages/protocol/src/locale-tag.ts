/**
 * Reads a locale as merchants write it: a BCP 47 tag (`de-DE`), or a name with underscores, as in WordPress and Java
 * (`de_DE`, `pt_PT_ao90`).
 *
 * Cantonese and Windows' old tag `zh-CHT` are written in traditional characters.
 *
 * @returns the language, script and region as a BCP 47 tag, which `Intl.Locale` accepts; undefined for anything else
 * @example localeTag("zh_Hant_TW") // "zh-Hant-TW"
 */
export function localeTag(locale: string): string | undefined {
  const tag = /^([a-z]{2,3}([-_][a-z]{4})?([-_]([a-z]{2}|\d{3}))?)([-_][a-z\d]+)*$/i.exec(
    locale.replace(/^zh.(yue|cht)/i, "zh-Hant"),
  )?.[1];
  return tag?.replaceAll("_", "-");
}
