import { describe, expect, it } from "vitest";
import { formatNumber } from "./format-number.ts";

/** `|` is the caret, before and after. */
function typed(text: string): string {
  const caret = text.indexOf("|");
  const formatted = formatNumber(text.replace("|", ""), caret);
  return `${formatted.value.slice(0, formatted.caret)}|${formatted.value.slice(formatted.caret)}`;
}

describe("a card number while it is typed", () => {
  it.each([
    ["4|", "4|"],
    ["4242|", "4242|"],
    ["42424|", "4242 4|"],
    ["4242 4242 4242 4242|", "4242 4242 4242 4242|"],
  ])("groups %s as %s", (before, after) => {
    expect(typed(before)).toBe(after);
  });

  it("groups American Express as it stands on the card", () => {
    expect(typed("378282246310005|")).toBe("3782 822463 10005|");
  });

  it("groups nineteen digits", () => {
    expect(typed("4000000000000000006|")).toBe("4000 0000 0000 0000 006|");
  });

  it("takes a paste with spaces, dashes and letters", () => {
    expect(typed(" 4242-4242 4242.4242 EUR|")).toBe("4242 4242 4242 4242|");
  });

  it("keeps no more digits than the brand has", () => {
    expect(formatNumber("55555555555544441", 0).value).toBe("5555 5555 5555 4444");
  });

  it("keeps the caret behind a digit that is inserted in the middle", () => {
    expect(typed("4242 19|42 42")).toBe("4242 19|42 42");
    expect(typed("42429| 4242")).toBe("4242 9|424 2");
  });

  it("keeps the caret where a digit was deleted in the middle", () => {
    expect(typed("4242 4|2 4242")).toBe("4242 4|242 42");
  });

  it("moves the caret past the space when a group in the middle is complete", () => {
    expect(typed("4242|4242")).toBe("4242 |4242");
  });

  it("leaves an empty field empty", () => {
    expect(typed("|")).toBe("|");
    expect(typed("abc|")).toBe("|");
  });
});
