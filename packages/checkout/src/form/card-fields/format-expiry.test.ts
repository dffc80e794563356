import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatExpiry } from "./format-expiry.ts";

const typed = (raw: string, deleting = false) => formatExpiry(raw, raw.length, deleting).value;

describe("formatting an expiry date", () => {
  it.each([
    ["1", "1"],
    ["0", "0"],
    ["4", "04 / "],
    ["1/", "01 / "],
    ["12", "12 / "],
    ["13", "01 / 3"],
    ["123", "12 / 3"],
    ["1234", "12 / 34"],
    ["12 / 345", "12 / 34"],
    ["12/34", "12 / 34"],
    ["4/29", "04 / 29"],
    ["4-29", "04 / 29"],
    ["12/2034", "12 / 34"],
    ["12 / 203", "12 / 203"],
    ["122034", "12 / 34"],
    ["2034-12", "12 / 34"],
    ["2034/12", "12 / 34"],
    ["2034 12", "12 / 34"],
    ["203412", "12 / 34"],
    ["٢٠٣٤١٢", "12 / 34"],
    ["2034年12月", "12 / 34"],
    ["3412", "12 / 34"],
    ["34-05", "05 / 34"],
    ["29/04", "04 / 29"],
    ["29 / 12", "12 / 29"],
    ["2029/4", "04 / 29"],
    ["29/4", "29 / 4"],
    ["12/11", "12 / 11"],
    ["34/13", "34 / 13"],
    ["2012", "12 / 20"],
    ["1331", "01 / 33"],
    ["13/25", "13 / 25"],
    ["201/0", "10 / 20"],
    ["77/0493", "04 / 77"],
    ["1/29", "01 / 29"],
    ["1.29", "01 / 29"],
    ["1 29", "01 / 29"],
    ["01 29", "01 / 29"],
    ["01/2029", "01 / 29"],
    ["0129", "01 / 29"],
    ["012029", "01 / 29"],
    ["01 – 2029", "01 / 29"],
    ["٠١/٢٩", "01 / 29"],
    ["０１／２９", "01 / 29"],
    ["12\u200f/\u200f29", "12 / 29"],
    ["01\u00a0/\u00a029", "01 / 29"],
    ["letters", ""],
  ])("formats %j as %j", (raw, value) => {
    expect(typed(raw)).toBe(value);
  });

  it("allows the separator to be deleted", () => {
    expect(typed("12 /", true)).toBe("12");
    expect(typed("1", true)).toBe("1");
  });

  it("keeps the caret before the same digits", () => {
    expect(formatExpiry("1|2 / 34".replace("|", ""), 1, false)).toEqual({ value: "12 / 34", caret: 1 });
    expect(formatExpiry("12 / 934", 6, false).caret).toBe(5);
  });

  it("gives the same result when applied twice, and keeps the caret before the same digits", () => {
    const text = fc.stringMatching(/^[0-9 /.-]{0,12}$/);
    fc.assert(
      fc.property(text, fc.nat(), (raw, at) => {
        const { value, caret } = formatExpiry(raw, at % (raw.length + 1), false);
        expect(caret).toBeLessThanOrEqual(value.length);
        expect(formatExpiry(value, caret, false)).toEqual({ value, caret });
      }),
    );
  });

  it("moves the caret to the end when the separator was added there", () => {
    expect(formatExpiry("4", 1, false)).toEqual({ value: "04 / ", caret: 5 });
  });
});
