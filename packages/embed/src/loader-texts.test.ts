import { languages } from "@oriel/protocol/languages";
import { afterEach, describe, expect, it, vi } from "vitest";
import { loaderTexts } from "./loader-texts.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the loader's own texts", () => {
  it("exist in every language of the form, one per line", () => {
    for (const language of languages) {
      expect(loaderTexts(language)).toEqual({
        language,
        goOn: expect.stringMatching(/\S/),
        close: expect.stringMatching(/\S/),
      });
    }
    expect(loaderTexts("de-AT")).toEqual({ language: "de", goOn: "Weiter zur Zahlung", close: "Schließen" });
    expect(loaderTexts("zh-TW")).toEqual({ language: "zh-Hant", goOn: "前往付款", close: "關閉" });
  });

  it.each(["sr", "", "not a tag"])("are English for %j", (locale) => {
    expect(loaderTexts(locale)).toEqual({ language: "en", goOn: "Continue to payment", close: "Close" });
  });

  it.each(["auto", undefined])("are in the browser's language for %s", (locale) => {
    vi.spyOn(navigator, "language", "get").mockReturnValue("pt-BR");
    expect(loaderTexts(locale).language).toBe("pt-BR");
  });
});
