import { describe, expect, it } from "vitest";
import { acceptedLanguages, pageLanguage } from "./page-language.ts";

describe("acceptedLanguages", () => {
  it.each([
    [undefined, []],
    ["", []],
    ["de", ["de"]],
    ["de-CH, de;q=0.9, en;q=0.8", ["de-CH", "de", "en"]],
    ["en;q=0.5, fr;q=0.9,de", ["de", "fr", "en"]],
    ["de;q=0.8, fr;q=0.8", ["de", "fr"]],
    ["de;q=0, fr", ["fr"]],
    ["*, de;q=0.1", ["de"]],
    ["de;q=high, fr;q=2, es;q=-1, it", ["it"]],
    ["d E, ../../etc, <b>, ar", ["ar"]],
    ["fr ; q=0.4 , ES ; Q=0.6", ["ES", "fr"]],
  ])("parses the header %j as %j", (header, tags) => {
    expect(acceptedLanguages(header)).toEqual(tags);
  });

  it("reads only the first 1,000 characters", () => {
    expect(acceptedLanguages(`${"xx,".repeat(4)}de`)).toContain("de");
    expect(acceptedLanguages(`${"xx,".repeat(400)}de`)).not.toContain("de");
    expect(acceptedLanguages(",".repeat(1e6))).toEqual([]);
  });
});

describe("pageLanguage", () => {
  it.each([
    [null, "de-CH,de;q=0.9", "de"],
    ["auto", "ja;q=0.1, es-MX", "es"],
    ["fr-CA", "de", "fr"],
    ["de_AT", "fr", "de"],
    [null, "pt_BR, en;q=0.5", "pt-BR"],
    ["sr", "de", "en"],
    [null, "sr, tlh", "en"],
    [null, undefined, "en"],
    [null, "sr, ar;q=0.3, de;q=0.2", "ar"],
  ])("for the session's locale %j and Accept-Language %j, returns %s", (locale, header, language) => {
    expect(pageLanguage(locale, header)).toBe(language);
  });
});
