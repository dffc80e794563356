import { describe, expect, it } from "vitest";
import { bestLanguage, fallbackLanguage, languages } from "./languages.ts";

describe("bestLanguage", () => {
  it.each([
    ["de", "de"],
    ["de-CH", "de"],
    ["DE-at-1996", "de"],
    ["de-DE-u-co-phonebk", "de"],
    ["en-GB", "en"],
    ["zh", "zh-Hans"],
    ["zh-CN", "zh-Hans"],
    ["zh-SG", "zh-Hans"],
    ["zh-TW", "zh-Hant"],
    ["zh-HK", "zh-Hant"],
    ["zh-Hant-CN", "zh-Hant"],
    ["zh-Hans-HK", "zh-Hans"],
    ["zh-CHT", "zh-Hant"],
    ["zh-CHS", "zh-Hans"],
    ["zh-cmn", "zh-Hans"],

    ["zh-yue", "zh-Hant"],
    ["zh-yue-HK", "zh-Hant"],
    ["zh_yue_Hant_HK", "zh-Hant"],
    ["yue", "zh-Hant"],
    ["yue-HK", "zh-Hant"],
    ["pt", "pt"],
    ["pt-PT", "pt"],
    ["pt-AO", "pt"],
    ["pt-BR", "pt-BR"],
    ["no", "nb"],
    ["nb-NO", "nb"],
    ["nn", "nb"],
    // As WordPress names its locales.
    ["de_DE", "de"],
    ["de_CH_informal", "de"],
    ["ca_valencia", "ca"],
    ["pt_BR", "pt-BR"],
    ["pt_PT_ao90", "pt"],
    ["zh_TW", "zh-Hant"],
    ["zh_hant_hk", "zh-Hant"],
    // Deprecated codes that are still in use.
    ["iw", "he"],
    ["in-ID", "id"],
  ])("returns the right language for %s: %s", (tag, language) => {
    expect(bestLanguage(tag)).toBe(language);
  });

  it.each([
    "sr",
    "sr-Latn-RS",
    "",
    "*",
    "auto",
    "constructor",
    "x",
    "de CH",
    "de_",
    "de_DE.UTF-8",
    "../en",
    "e".repeat(10_000),
  ])("returns null for %.20j", (tag) => {
    expect(bestLanguage(tag)).toBeNull();
  });

  it("returns every supported language for its own tag", () => {
    expect(languages.map((tag) => bestLanguage(tag))).toEqual(languages);
    expect(languages).toContain(fallbackLanguage);
    expect(languages).toEqual([...new Set(languages)].toSorted());
  });
});
