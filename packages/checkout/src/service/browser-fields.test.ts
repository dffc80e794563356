import { expect, it } from "vitest";
import { readBrowserFields } from "./browser-fields.ts";

const read = (language: string, colorDepth: number) =>
  // Only the fields that are read.
  readBrowserFields(
    { navigator: { language }, screen: { colorDepth, width: 390, height: 844.4 } } as unknown as Window,
    0,
  );

it("returns the browser data within EMV's limits", () => {
  expect(read("de-DE", 24)).toMatchObject({
    browserLanguage: "de-DE",
    browserColorDepth: "24",
    browserScreenWidth: "390",
    browserScreenHeight: "844",
    browserJavascriptEnabled: true,
  });
});

it("shortens a long language tag between its subtags", () => {
  expect(read("en-GB-oxendict", 24).browserLanguage).toBe("en-GB");
  expect(read("zh-Hant-TW", 24).browserLanguage).toBe("zh-Hant");
});

it("rounds a color depth that isn't in the list down", () => {
  expect(read("en", 30).browserColorDepth).toBe("24");
});
