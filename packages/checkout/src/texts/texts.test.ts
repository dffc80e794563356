import { describe, expect, it } from "vitest";
import { early } from "./early.ts";
import bank from "./en-bank.ts";
import en from "./en.ts";
import { createSpeech, directionOf, languages } from "./languages.ts";
import type { WholeTexts } from "./texts.ts";

const english: WholeTexts = { ...en, ...early, ...bank };
const all = await Promise.all(Object.entries(languages).map(async ([code, load]) => [code, (await load()).default] as const));

/** Every sentence by its path; what takes an argument is asked with one that shows. */
function sentences(value: unknown, path = ""): [path: string, sentence: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, String(value("<what varies>"))]];
  return Object.entries(value ?? {}).flatMap(([name, inner]) => sentences(inner, `${path}/${name}`));
}

/** The same in several languages, or no sentence at all. */
const mayBeEqual = /\/(language|direction|amounts|test|cvc|expiryPlaceholder)$/;

describe("the texts", () => {
  it.each(all)("in %s say everything that English says, in other words", (code, texts) => {
    const own = new Map(sentences(texts));
    expect([...own.keys()].sort()).toEqual(
      sentences(english)
        .map(([path]) => path)
        .sort(),
    );
    const same = sentences(english).filter(([path, sentence]) => own.get(path) === sentence && !mayBeEqual.test(path));
    expect(same).toEqual([]);
    expect([...own.values()].filter((sentence) => sentence.trim() === "")).toEqual([]);
    expect([texts.language, texts.direction]).toEqual([code, directionOf(code)]);
  });

  it.each([["en", english] as const, ...all])("in %s put what varies where it belongs", (_code, texts) => {
    const varying = [texts.payAmount, texts.keptToo, texts.keptOnly, texts.backTo, texts.continueTo, texts.takingYouBack];
    expect(varying.filter((say) => !say("Fernweh").includes("Fernweh"))).toEqual([]);
  });

  it.each([["en", english] as const, ...all])("in %s give two words for two different ends", (_code, { paying, saving }) => {
    for (const reason of Object.keys(paying.declined) as (keyof typeof paying.declined)[])
      expect(paying.declined[reason]).not.toBe(saving.declined[reason]);
    expect(paying.results.succeeded).not.toEqual(saving.results.succeeded);
  });
});

describe("the language", () => {
  it.each([
    [undefined, ["de-CH", "fr"], "de"],
    ["auto", ["ja", "fr-CA", "de"], "fr"],
    ["auto", ["ja"], "en"],
    ["auto", [], "en"],
    ["auto", ["en-GB", "de"], "en"],
    ["ES-mx", ["de"], "es"],
    ["ar", ["en"], "ar"],
    ["ja", ["de"], "en"],
    ["constructor", ["de"], "en"],
  ])("for the locale %j where the browser asks for %j is %s", (locale, asked, language) => {
    expect(createSpeech(asked, locale).first).toBe(language);
  });

  it("that cannot be had, or is English, has no file", async () => {
    const speech = createSpeech([], "en");
    expect(await speech.fetch("en")).toBeNull();
    expect(await speech.fetch("xx")).toBeNull();
    expect((await speech.fetch("fr"))?.pay).toBe("Payer");
  });
});
