import { describe, expect, it } from "vitest";
import { chooseLanguage } from "./choose-language.ts";

describe("the language", () => {
  it.each([
    ["en", "auto", ["de-CH", "fr"], "en", "en-u-nu-latn"],
    ["de", "auto", ["ja", "fr", "de-CH", "de"], "de", "de-CH-u-nu-latn"],
    ["de", "auto", ["fr-CA"], "de", "de-u-nu-latn"],
    ["en", "auto", ["en-GB", "en"], "en", "en-GB-u-nu-latn"],
    ["de", "auto", undefined, "de", "de-u-nu-latn"],
    ["en", "ES-mx", ["de"], "es", "es-MX-u-nu-latn"],
    ["en", "pt_BR", [], "pt-BR", "pt-BR-u-nu-latn"],
    ["de", "auto", ["de_AT", "de"], "de", "de-AT-u-nu-latn"],
    ["en", "ar-EG", [], "ar", "ar-EG-u-nu-latn"],
    ["en", "pt", [], "pt", "pt-PT-u-nu-latn"],
    ["pt", "auto", ["pt", "en"], "pt", "pt-PT-u-nu-latn"],
    ["pt", "auto", ["de"], "pt", "pt-PT-u-nu-latn"],
    ["en", "pt-AO", [], "pt", "pt-AO-u-nu-latn"],
    ["en", "zh-yue-HK", [], "zh-Hant", "zh-Hant-HK-u-nu-latn"],
    ["de", "sr", ["de"], "en", "en-u-nu-latn"],
    ["de", "constructor", [], "en", "en-u-nu-latn"],
    ["en", "auto", ["*", "", "en US", "en-US"], "en", "en-US-u-nu-latn"],
  ])(
    "for a page in %s, locale %j and browser languages %j is %s, with the formats of %s",
    (own, locale, preferred, language, tag) => {
      expect(chooseLanguage(locale, own, preferred)).toEqual({ language, locale: tag });
    },
  );
});
