import { describe, expect, it } from "vitest";
import { bestLanguage, fallbackLanguage, languages } from "./languages.ts";

describe("bestLanguage", () => {
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
    // Deprecated codes that are still in use.
    ["iw", "he"],
    ["in-ID", "id"],
  ])("returns the right language for %s: %s", (tag, language) => {
    expect(bestLanguage(tag)).toBe(language);
  });

  it.each(["sr", "sr-Latn-RS", "", "*", "auto", "constructor", "x", "de_CH", "../en", "e".repeat(10_000)])(
    "returns null for %.20j",
    (tag) => {
      expect(bestLanguage(tag)).toBeNull();
    },
  );

  it("returns every supported language for its own tag", () => {
    expect(languages.map((tag) => bestLanguage(tag))).toEqual(languages);
    expect(languages).toContain(fallbackLanguage);
    expect(languages).toEqual([...new Set(languages)].toSorted());
  });
});
