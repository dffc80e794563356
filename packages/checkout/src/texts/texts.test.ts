import { describe, expect, it } from "vitest";
import { languages } from "@oriel/protocol/languages";
import { everyLanguage } from "../../test/every-language.ts";
import en from "./en.ts";
import { directionOf } from "./page-texts.ts";

const all = Object.entries(everyLanguage);
const tags = Object.keys(everyLanguage);
const foreign = all.filter(([tag]) => tag !== "en");

type Sentences = Map<string, string>;

/** Every sentence by its path, with each plural form separately. */
function sentences(value: unknown, path = ""): Sentences {
  if (typeof value === "string") return new Map([[path, value]]);
  return new Map(Object.entries(value ?? {}).flatMap(([name, inner]) => [...sentences(inner, `${path}/${name}`)]));
}

const isPlural = (path: string) => path.startsWith("/after/attemptsLeft/");
const english = sentences(en);

/** Texts that may be the same as in English, such as loan words and symbols. */
const same: Readonly<Record<string, readonly string[]>> = {
  "/first/cvc": ["*"],
  "/first/test": ["*"],
  "/first/expiryPlaceholder": ["*"],
  "/form/email": ["cs", "da", "et", "hr", "hu", "id", "it", "ms", "nl", "pl", "ro", "sk", "vi"],
  "/form/total": ["ca", "da", "es", "fr", "id", "pt", "pt-BR", "ro", "sv"],
  "/after/receiptDate": ["fr"],
};
const mayBeEqual = (path: string, tag: string) => same[path]?.some((other) => other === "*" || other === tag) ?? false;

/** The letters of each language, besides those that any text may use. */
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
/** What stays in Latin letters in any script: placeholders and names. */
const latinEverywhere = /\{\w+\}|JavaScript|CVC|CVV|TEST|[Ee]-?mail|[\p{Script=Latin}\w.]+@example\.com|MM|YY/gu;

/** Button labels. Most have their own line. */
const buttons = [
  "/first/pay",
  "/first/retry",
  "/form/payAmount",
  "/form/placeOrder",
  "/form/save",
  "/after/confirmPay",
  "/after/confirmSave",
  "/after/confirmBack",
  "/form/checkAgain",
  "/after/cancel",
  "/after/cancelNo",
  "/after/cancelYes",
  "/choices/applyCode",
];
/** The labels of buttons next to something: the heading around the bank's page, or the field for a code. */
const isNarrow = (path: string) => /^\/(?:after|choices)\//.test(path);
/** Width in columns, as in a terminal: one Chinese character takes two. */
const width = (text: string) =>
  Array.from(text).reduce(
    (sum, letter) => sum + (/[\p{Script=Han}\p{Script=Hangul}ぁ-ヿ]/u.test(letter) ? 2 : /\p{M}/u.test(letter) ? 0 : 1),
    0,
  );

/** What must not occur in a text: spaces where the language has none, or none where it has one. */
const spacing = [/\s[.,…]/u, /\s{2}/u, /[.!?](?=\p{Lu}|\{)/u];
const noSpaceBeforeMarks = [/\s[:;!?।]/u];
const inChineseAndJapanese = [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}] ?[,.:;!?]/u, /[、。，：！？] /u];
const spacingOf: Readonly<Record<string, readonly RegExp[]>> = {
  // A no-break space, so that the mark never starts a line: U+00A0 before a colon, U+202F before the others.
  fr: [/(?<!\u00a0):/u, /(?<!\u202f)[;!?]/u],
  ja: inChineseAndJapanese,
  "zh-Hans": inChineseAndJapanese,
  "zh-Hant": inChineseAndJapanese,
};

describe("the texts", () => {
  it("exist for exactly the languages in the protocol's list", () => {
    expect(languages.filter((tag) => !tags.includes(tag))).toEqual([]);
    expect(tags.filter((tag) => !languages.includes(tag))).toEqual([]);
  });
});

describe.each(foreign)("the texts in %s", (tag, texts) => {
  const own = sentences(texts);

  it("have the same keys as English", () => {
    const paths = (of: Sentences) => [...of.keys()].filter((path) => !isPlural(path)).toSorted();
    expect(paths(own)).toEqual(paths(english));
    expect([...own].filter(([, sentence]) => sentence.trim() !== sentence || sentence === "")).toEqual([]);
  });

  it("differ from English", () => {
    const equal = [...own].filter(([path, sentence]) => english.get(path) === sentence && !mayBeEqual(path, tag));
    expect(equal).toEqual([]);
  });

  it("have the plural forms of the language", () => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
    expect(Object.keys(texts.after.attemptsLeft).toSorted()).toEqual(pluralCategories.toSorted());
  });

  it("use the language's letters", () => {
    const letters = [...own.values()].join(" ").replaceAll(latinEverywhere, "").match(/\p{L}/gu) ?? [];
    const script = scripts[tag] ?? /\p{Script=Latin}/u;
    const strange = letters.filter((letter) => !script.test(letter));
    expect([...new Set(strange)]).toEqual([]);
  });

  it("keep button labels short", () => {
    const long = buttons.filter(
      (path) => width(own.get(path) ?? "") > Math.max(isNarrow(path) ? 14 : 20, 1.8 * width(english.get(path) ?? "")),
    );
    expect(long.map((path) => own.get(path))).toEqual([]);
  });
});

describe.each(all)("the texts in %s", (tag, texts) => {
  const own = sentences(texts);

  it("have the same placeholders as English, once each", () => {
    const names = (sentence = "") => (sentence.match(/\{[^}]*\}/g) ?? []).toSorted();
    const other = [...own].filter(
      ([path, sentence]) => !isPlural(path) && names(sentence).join() !== names(english.get(path)).join(),
    );
    expect(other).toEqual([]);
    // Some languages use a word instead of the number for one or two.
    const { zero: _zero, one: _one, two: _two, ...counted } = texts.after.attemptsLeft;
    expect(Object.values(counted).filter((sentence) => names(sentence).join() !== "{count}")).toEqual([]);
    const words = Object.values(texts.after.attemptsLeft).flatMap((sentence) => names(sentence));
    expect(words.filter((name) => name !== "{count}")).toEqual([]);
  });

  it("have no invisible characters other than no-break spaces", () => {
    // Joiners are part of the spelling in Persian and Hindi. The page sets the direction.
    const joiners = tag === "fa" || tag === "hi" ? /[\u200c\u200d]/gu : /(?!)/g;
    const unseen = [...own].filter(([, sentence]) =>
      /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029\ufffd]/u.test(sentence.replaceAll(joiners, "")),
    );
    expect(unseen).toEqual([]);
  });

  it("have spaces only where the language has them", () => {
    const faults = [...spacing, ...(spacingOf[tag] ?? noSpaceBeforeMarks)];
    const misplaced = [...own].filter(([, sentence]) => faults.some((fault) => fault.test(sentence)));
    expect(misplaced).toEqual([]);
  });

  it("contain no HTML special characters if they are part of the HTML", () => {
    expect([...sentences(texts.first).values()].filter((sentence) => /[<>&"]/.test(sentence))).toEqual([]);
  });

  it("use different texts for different results", () => {
    const { outcomes, results, notices, title, savingTitle } = { ...texts.first, ...texts.form };
    for (const { paying, saving } of [outcomes, notices.connectionLost, texts.after.confirmText])
      expect(paying).not.toBe(saving);
    for (const name of ["succeeded", "processing", "unknown"] as const)
      expect(results[name].paying[1]).not.toBe(results[name].saving[1]);
    expect(results.placed[0]).not.toBe(results.succeeded.paying[0]);
    expect(new Set(Object.values(texts.choices.codeRejected)).size).toBe(3);
    expect(title).not.toBe(savingTitle);
  });

  it("show the expiry as on the card, with a slash between month and year", () => {
    expect(texts.first.expiryPlaceholder).toMatch(/^\S{1,5} \/ \S{1,4}$/u);
  });

  it("follow the language's direction", () => {
    const locale: Intl.Locale & { getTextInfo?(): { direction?: string } } = new Intl.Locale(tag);
    expect(locale.getTextInfo?.().direction).toBe(directionOf(tag));
    expect(directionOf(`${tag}_EG`)).toBe(directionOf(tag));
  });
});
