import { describe, expect, it } from "vitest";
import { formatExpiry, readExpiry } from "./format-expiry.ts";

const typed = (raw: string, deleting = false) => formatExpiry(raw, raw.length, deleting).value;

describe("an expiry date while it is typed", () => {
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
    ["13/25", "13 / 25"],
    ["letters", ""],
  ])("writes %s as %s", (raw, value) => {
    expect(typed(raw)).toBe(value);
  });

  it("lets the separator be deleted", () => {
    expect(typed("12 /", true)).toBe("12");
    expect(typed("1", true)).toBe("1");
  });

  it("keeps the caret before the digits that stood behind it", () => {
    expect(formatExpiry("1|2 / 34".replace("|", ""), 1, false)).toEqual({ value: "12 / 34", caret: 1 });
    expect(formatExpiry("12 / 934", 6, false).caret).toBe(5);
  });

  it("puts the caret at the end when something was completed there", () => {
    expect(formatExpiry("4", 1, false)).toEqual({ value: "04 / ", caret: 5 });
  });
});

describe("a finished expiry date", () => {
  it("is a month and a year of four digits", () => {
    expect(readExpiry("04 / 29")).toEqual({ month: 4, year: 2029 });
    expect(readExpiry("04/2029")).toEqual({ month: 4, year: 2029 });
    expect(readExpiry("2029-04")).toEqual({ month: 4, year: 2029 });
  });

  it.each(["", "04", "04 / 2", "13 / 25", "00 / 29", "04 / 202"])("is not read from %j", (raw) => {
    expect(readExpiry(raw)).toBeNull();
  });
});
