import { afterEach, describe, expect, it, vi } from "vitest";
import { languages } from "@oriel/protocol/languages";
import { loaderTexts } from "./loader-texts.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the loader's own texts", () => {
  it("exist in every language of the form, one per line", () => {
    for (const language of languages) {
      expect(loaderTexts(language)).toEqual({
        language,
        label: expect.stringMatching(/\S/),
        close: expect.stringMatching(/\S/),
      });
    }
    expect(loaderTexts("de-AT")).toEqual({ language: "de", label: "Weiter zur Zahlung", close: "Schließen" });
    expect(loaderTexts("zh-TW")).toEqual({ language: "zh-Hant", label: "前往付款", close: "關閉" });
  });

  it.each(["sr", "", "not a tag"])("are English for %j", (locale) => {
    expect(loaderTexts(locale)).toEqual({ language: "en", label: "Continue to payment", close: "Close" });
  });

  it.each([
    ["auto", ["pt-BR", "en"], "pt-BR"],
    [undefined, ["sr", "de-AT", "fr"], "de"],
    ["auto", ["sr"], "en"],
  ])("for %s are in the first supported one of the browser's languages %j: %s", (locale, languages, language) => {
    vi.spyOn(navigator, "languages", "get").mockReturnValue(languages);
    expect(loaderTexts(locale).language).toBe(language);
  });
});
