import { languages } from "@oriel/protocol/languages";
import { describe, expect, it } from "vitest";
import { everyLanguage } from "../../test/every-language.ts";
import en from "./en.ts";
import { directionOf } from "./page-texts.ts";

const all = Object.entries(everyLanguage);
const tags = Object.keys(everyLanguage);
const foreign = all.filter(([tag]) => tag !== "en");

type Sentences = Map<string, string>;

/** Every sentence by its path; the forms of a plural each for itself. */
function sentences(value: unknown, path = ""): Sentences {
  if (typeof value === "string") return new Map([[path, value]]);
  return new Map(Object.entries(value ?? {}).flatMap(([name, inner]) => [...sentences(inner, `${path}/${name}`)]));
}

const isPlural = (path: string) => path.startsWith("/after/triesLeft/");
const english = sentences(en);

/** Words that are the same in English and there, or are no words. */
const same: Readonly<Record<string, readonly string[]>> = {
  "/first/cvc": ["*"],
  "/first/test": ["*"],
  "/first/expiryPlaceholder": ["*"],
  "/form/email": ["cs", "da", "et", "hr", "hu", "id", "it", "ms", "nl", "pl", "ro", "sk", "vi"],
  "/form/total": ["ca", "da", "es", "fr", "id", "pt", "pt-BR", "ro", "sv"],
  "/after/receiptDate": ["fr"],
};
const mayBeEqual = (path: string, tag: string) => same[path]?.some((other) => other === "*" || other === tag) ?? false;

/** The letters of each language, beside those that any text may have. */
const scripts: Readonly<Record<string, RegExp>> = {
  ar: /\p{Script=Arabic}/u,
  bg: /\p{Script=Cyrillic}/u,
  el: /\p{Script=Greek}/u,
  fa: /\p{Script=Arabic}/u,
  he: /\p{Script=Hebrew}/u,
  hi: /\p{Script=Devanagari}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
  th: /\p{Script=Thai}/u,
  uk: /\p{Script=Cyrillic}/u,
  "zh-Hans": /\p{Script=Han}/u,
  "zh-Hant": /\p{Script=Han}/u,
};
/** What stays in Latin letters in any script: filled in by code, or a name. */
const latinEverywhere = /\{\w+\}|JavaScript|CVC|CVV|TEST|[Ee]-?mail|[\p{Script=Latin}\w.]+@example\.com|MM|YY/gu;

/** Words on buttons. Those around the bank's page stand beside its heading; the others have a line of their own. */
const buttons = [
  "/first/pay",
  "/first/retry",
  "/form/payAmount",
  "/form/save",
  "/after/confirmPay",
  "/after/confirmSave",
  "/after/confirmBack",
  "/form/lookUpAgain",
  "/after/cancel",
  "/after/cancelNo",
  "/after/cancelYes",
];
/** In halves of a wide character, as a terminal counts: Chinese says in one what takes two. */
const width = (text: string) =>
  Array.from(text).reduce(
    (sum, letter) => sum + (/[\p{Script=Han}\p{Script=Hangul}ぁ-ヿ]/u.test(letter) ? 2 : /\p{M}/u.test(letter) ? 0 : 1),
    0,
  );

describe("the texts", () => {
  it("are those of the languages that the protocol names", () => {
    expect(languages.filter((tag) => !tags.includes(tag))).toEqual([]);
    expect(tags.filter((tag) => !languages.includes(tag))).toEqual([]);
  });
});

describe.each(foreign)("the texts in %s", (tag, texts) => {
  const own = sentences(texts);

  it("say everything that English says, and nothing else", () => {
    const paths = (of: Sentences) => [...of.keys()].filter((path) => !isPlural(path)).toSorted();
    expect(paths(own)).toEqual(paths(english));
    expect([...own].filter(([, sentence]) => sentence.trim() !== sentence || sentence === "")).toEqual([]);
  });

  it("say it in other words", () => {
    const equal = [...own].filter(([path, sentence]) => english.get(path) === sentence && !mayBeEqual(path, tag));
    expect(equal).toEqual([]);
  });

  it("have the plurals that the language has", () => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
    expect(Object.keys(texts.after.triesLeft).toSorted()).toEqual(pluralCategories.toSorted());
  });

  it("are written in its letters", () => {
    const letters = [...own.values()].join(" ").replaceAll(latinEverywhere, "").match(/\p{L}/gu) ?? [];
    const script = scripts[tag] ?? /\p{Script=Latin}/u;
    const strange = letters.filter((letter) => !script.test(letter));
    expect([...new Set(strange)]).toEqual([]);
  });

  it("keep the words on buttons short", () => {
    const long = buttons.filter(
      (path) =>
        width(own.get(path) ?? "") >
        Math.max(path.startsWith("/after") ? 14 : 20, 1.8 * width(english.get(path) ?? "")),
    );
    expect(long.map((path) => own.get(path))).toEqual([]);
  });
});

describe.each(all)("the texts in %s", (tag, texts) => {
  const own = sentences(texts);

  it("put what varies where English has it, once", () => {
    const names = (sentence = "") => (sentence.match(/\{[^}]*\}/g) ?? []).toSorted();
    const other = [...own].filter(
      ([path, sentence]) => !isPlural(path) && names(sentence).join() !== names(english.get(path)).join(),
    );
    expect(other).toEqual([]);
    // Of one or two of a thing, a language may use a word.
    const { zero: _zero, one: _one, two: _two, ...counted } = texts.after.triesLeft;
    expect(Object.values(counted).filter((sentence) => names(sentence).join() !== "{count}")).toEqual([]);
    const words = Object.values(texts.after.triesLeft).flatMap((sentence) => names(sentence));
    expect(words.filter((name) => name !== "{count}")).toEqual([]);
  });

  it("have no characters that are not seen, but for spaces that do not break", () => {
    // Joiners are letters' own in Persian and Hindi; the direction is set by the page.
    const joiners = tag === "fa" || tag === "hi" ? /[\u200c\u200d]/gu : /(?!)/g;
    const unseen = [...own].filter(([, sentence]) =>
      /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029\ufffd]/u.test(sentence.replaceAll(joiners, "")),
    );
    expect(unseen).toEqual([]);
  });

  it("have nothing that HTML would take for its own, where they stand in the page", () => {
    expect([...sentences(texts.first).values()].filter((sentence) => /[<>&"]/.test(sentence))).toEqual([]);
  });

  it("give two words for two different ends", () => {
    const { outcomes, results, notices, title, savingTitle } = { ...texts.first, ...texts.form };
    for (const { paying, saving } of [outcomes, notices.connectionLost, texts.after.confirmText])
      expect(paying).not.toBe(saving);
    for (const name of ["succeeded", "processing", "unknown"] as const)
      expect(results[name].paying[1]).not.toBe(results[name].saving[1]);
    expect(title).not.toBe(savingTitle);
  });

  it("ask for the expiry as it stands on the card: two letters, a slash, two letters", () => {
    expect(texts.first.expiryPlaceholder).toMatch(/^\S{1,5} \/ \S{1,4}$/u);
  });

  it("run in the language's direction", () => {
    const locale: Intl.Locale & { getTextInfo?(): { direction?: string } } = new Intl.Locale(tag);
    expect(locale.getTextInfo?.().direction).toBe(directionOf(tag));
  });
});
