import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatNumber, onlyDigits } from "./format-number.ts";

/** `|` marks the caret, before and after. */
function typed(text: string): string {
  const caret = text.indexOf("|");
  const formatted = formatNumber(text.replace("|", ""), caret, 19);
  return `${formatted.value.slice(0, formatted.caret)}|${formatted.value.slice(formatted.caret)}`;
}

/** Every decimal numbering system that the runtime knows, with its digits from zero to nine. */
const digitsOfTheWorld = Intl.supportedValuesOf("numberingSystem")
  .map((numberingSystem) => {
    const { format } = new Intl.NumberFormat("en", { numberingSystem, useGrouping: false });
    return [numberingSystem, Array.from({ length: 10 }, (_, n) => format(n))] as const;
  })
  // The characters of `hanidec` are numerals rather than decimal digits, and aren't consecutive in Unicode.
  .filter(([, digits]) => digits.every((digit) => /^\p{Nd}$/u.test(digit)));

describe("formatting a card number", () => {
  it.each([
    ["4|", "4|"],
    ["4242|", "4242|"],
    ["42424|", "4242 4|"],
    ["4242 4242 4242 4242|", "4242 4242 4242 4242|"],
  ])("groups %s as %s", (before, after) => {
    expect(typed(before)).toBe(after);
  });

  it("groups American Express numbers as printed on the card", () => {
    expect(typed("378282246310005|")).toBe("3782 822463 10005|");
  });

  it.each([
    ["30569309025904|", "3056 930902 5904|"],
    ["36227206271667|", "3622 720627 1667|"],
    ["3622720627166712|", "3622 7206 2716 6712|"],
  ])("groups the Diners Club number %s as %s", (before, after) => {
    expect(typed(before)).toBe(after);
  });

  it("groups nineteen digits", () => {
    expect(typed("4000000000000000006|")).toBe("4000 0000 0000 0000 006|");
  });

  it("accepts pasted spaces, dashes and letters", () => {
    expect(typed(" 4242-4242 4242.4242 EUR|")).toBe("4242 4242 4242 4242|");
  });

  it.each([
    ["no-break and thin spaces", "4242\u00a04242\u202f4242\u20094242|"],
    ["full-width digits", "４２４２　４２４２　４２４２　４２４２|"],
    ["Arabic-Indic digits", "٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢|"],
    ["Persian digits between direction marks", "\u200e۴۲۴۲ ۴۲۴۲ ۴۲۴۲ ۴۲۴۲\u200f|"],
    ["line breaks and tabs", "4242\t4242\n4242 4242\n|"],
  ])("accepts pasted %s", (_what, text) => {
    expect(typed(text)).toBe("4242 4242 4242 4242|");
  });

  it("is tested with more than seventy numbering systems", () => {
    expect(digitsOfTheWorld.length).toBeGreaterThan(70);
  });

  it.each(digitsOfTheWorld)("accepts pasted digits of the numbering system %s", (_system, digits) => {
    const [zero, one, two, three, four, five, six, seven, eight, nine] = digits;
    expect(typed(`${four}${two}${zero}${one} ${three}${five}${six}${seven} ${eight}${nine}|`)).toBe("4201 3567 89|");
  });

  it("limits the number of digits", () => {
    expect(formatNumber("55555555555544441", 0, 16).value).toBe("5555 5555 5555 4444");
  });

  it("keeps the caret after a digit inserted in the middle", () => {
    expect(typed("4242 19|42 42")).toBe("4242 19|42 42");
    expect(typed("42429| 4242")).toBe("4242 9|424 2");
  });

  it("keeps the caret where a digit in the middle was deleted", () => {
    expect(typed("4242 4|2 4242")).toBe("4242 4|242 42");
  });

  it("moves the caret past the space when a group in the middle is complete", () => {
    expect(typed("4242|4242")).toBe("4242 |4242");
  });

  it("keeps the caret after the same digits for any input, and gives the same result when applied twice", () => {
    const text = fc.stringMatching(/^[0-9 x٤９-]{0,30}$/);
    fc.assert(
      fc.property(text, fc.nat(), (raw, at) => {
        const caret = at % (raw.length + 1);
        const once = formatNumber(raw, caret, 19);
        const digits = onlyDigits(once.value);
        expect(onlyDigits(raw).startsWith(digits)).toBe(true);
        expect(onlyDigits(once.value.slice(0, once.caret))).toBe(
          onlyDigits(raw.slice(0, caret)).slice(0, digits.length),
        );
        expect(formatNumber(once.value, once.caret, 19)).toEqual(once);
      }),
    );
  });

  it("leaves an empty field empty", () => {
    expect(typed("|")).toBe("|");
    expect(typed("abc|")).toBe("|");
  });
});
