import { describe, expect, it } from "vitest";
import { bestLanguage, fallbackLanguage, languages } from "./languages.ts";

describe("the best language", () => {
  it.each([
    ["de", "de"],
    ["de-CH", "de"],
    ["DE-at-1996", "de"],
    ["en-GB", "en"],
    ["zh", "zh-Hans"],
    ["zh-CN", "zh-Hans"],
    ["zh-SG", "zh-Hans"],
    ["zh-TW", "zh-Hant"],
    ["zh-HK", "zh-Hant"],
    ["zh-Hant-CN", "zh-Hant"],
    ["zh-Hans-HK", "zh-Hans"],
    ["pt", "pt"],
    ["pt-PT", "pt"],
    ["pt-AO", "pt"],
    ["pt-BR", "pt-BR"],
    ["no", "nb"],
    ["nb-NO", "nb"],
    ["nn", "nb"],
    // Codes that were replaced long ago, and are still sent.
    ["iw", "he"],
    ["in-ID", "id"],
  ])("for %s is %s", (tag, language) => {
    expect(bestLanguage(tag)).toBe(language);
  });

  it.each(["sr", "sr-Latn-RS", "", "*", "auto", "constructor", "x", "de_CH", "../en", "e".repeat(10_000)])(
    "for %.20j is none of ours",
    (tag) => {
      expect(bestLanguage(tag)).toBeNull();
    },
  );

  it("is found for every language that there is, by its own name", () => {
    expect(languages.map((tag) => bestLanguage(tag))).toEqual(languages);
    expect(languages).toContain(fallbackLanguage);
    expect(languages).toEqual([...new Set(languages)].toSorted());
  });
});
