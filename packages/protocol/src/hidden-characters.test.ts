import Type from "typebox";
import { Value } from "typebox/value";
import { describe, expect, it } from "vitest";
import { CreateSecretKey } from "./dashboard/setup.ts";
import { Name } from "./dashboard/sign-in.ts";
import { SaveApplication } from "./dashboard/underwriting.ts";
import { allVisible, hasHidden, visible, withoutHidden } from "./hidden-characters.ts";
import { isolate } from "./isolate.ts";

const hidden: [string, string][] = [
  ["a right-to-left override", "Kiln\u202eStreet"],
  ["an embedding", "\u202bKiln"],
  ["an isolate without an end", "Kiln \u2066"],
  ["the end of an isolate", "\u2069 Kiln"],
  ["a right-to-left mark", "Kiln\u200f"],
  ["an Arabic letter mark", "Kiln\u061c"],
  ["a zero-width space", "Ki\u200bln"],
  ["a word joiner", "Ki\u2060ln"],
  ["a byte-order mark", "\ufeffKiln"],
  ["a soft hyphen", "Ki\u00adln"],
  ["a Hangul filler", "\u3164"],
  ["a blank Braille pattern", "\u2800"],
  ["a tag", "Kiln\u{e0041}"],
  ["a combining grapheme joiner", "Ki\u034fln"],
  ["a line separator", "Kiln\u2028Street"],
  ["an escape character", "Kiln\u001b[2J"],
  ["a zero-width joiner between Latin letters", "Ki\u200dln"],
  ["a zero-width non-joiner after a space", "Kiln \u200cStreet"],
  ["a second joiner", "\u0646\u200c\u200c\u0647"],
];

const honest = [
  "Kiln Street",
  "Zoë Łukasz-Åse 2nd",
  "佐藤 花子",
  "辻\u{e0101}さん", // with a variation selector
  "סטודיו כבשן",
  "خانه\u200cی سفال", // Persian needs the non-joiner
  "क्\u200dष", // and Hindi the joiner
  "র\u200d্যাম",
  "Potters 👩\u200d🎨 & 👨\u200d👩\u200d👧",
  "We ❤\ufe0f cups",
];

describe("a name in a request", () => {
  const fits = (name: string) => [
    Value.Check(Name, name),
    Value.Check(CreateSecretKey, { name, scope: "full" }),
    Value.Check(SaveApplication, { legal_entity: { name } }),
    Value.Check(SaveApplication, { owners: [{ name }] }),
    Value.Check(SaveApplication, { business: `Cups.\n\tAnd bowls by ${name}.` }),
  ];

  it.each(hidden)("is refused with %s", (_what, name) => {
    expect(hasHidden(name)).toBe(true);
    expect(fits(name)).toEqual([false, false, false, false, false]);
  });

  it.each(honest)("is accepted and shown unchanged: %s", (name) => {
    expect(fits(name)).toEqual([true, true, true, true, true]);
    expect([hasHidden(name), visible(name), withoutHidden(name)]).toEqual([false, name, name]);
  });

  it("is checked in linear time", () => {
    const long = Type.String({ pattern: String(Object(Name)["pattern"]) });
    expect(Value.Check(long, "ن\u200c".repeat(20_000))).toBe(true);
    expect(Value.Check(long, "x\u200c".repeat(20_000))).toBe(false);
  });
});

describe("text from merchants and customers", () => {
  it.each(hidden)("is shown with %s as its code point, or without it to customers", (_what, text) => {
    expect(visible(text)).toMatch(/\[U\+[0-9A-F]{4,5}\]/);
    expect(hasHidden(visible(text))).toBe(false);
    expect(hasHidden(withoutHidden(text))).toBe(false);
  });

  it("keeps its line breaks and tabs", () => {
    expect([visible("a\r\n\tb"), withoutHidden("a\r\n\tb")]).toEqual(["a\r\n\tb", "a\r\n\tb"]);
  });

  it("is made visible everywhere in a response, including in member names", () => {
    const response = { data: [{ name: "a\u202eb", n: 1, none: null, "x\u200by": true }], has_more: false };
    expect(allVisible(response)).toEqual({
      data: [{ name: "a[U+202E]b", n: 1, none: null, "x[U+200B]y": true }],
      has_more: false,
    });
  });
});

describe("a name in a sentence", () => {
  it("is unchanged if both are left-to-right", () => {
    expect(isolate("Kiln Street", "Pay {merchant}")).toBe("Kiln Street");
  });

  it.each([
    ["סטודיו כבשן", "Pay {merchant}"],
    ["خانه", ""],
    ["Kiln Street (UK)", "ادفع إلى {merchant}"],
  ])("is isolated if either is right-to-left: %s in %s", (name, sentence) => {
    expect(isolate(name, sentence)).toBe(`\u2068${name}\u2069`);
  });
});
