import { describe, expect, it } from "vitest";
import { fill, fillCount } from "./fill.ts";

describe("what varies in a sentence", () => {
  it("goes in where its name stands", () => {
    expect(fill("Pay {amount} to {merchant}.", { amount: "€49.00", merchant: "Fernweh" })).toBe(
      "Pay €49.00 to Fernweh.",
    );
  });

  it("is text and nothing else: no name in it is filled in, no sign of `replace` is obeyed", () => {
    expect(fill("{merchant} keeps {amount}", { merchant: "{amount} $& $1 <b>", amount: "1" })).toBe(
      "{amount} $& $1 <b> keeps 1",
    );
  });

  it.each([
    ["Pay {merchant} now", "סטודיו (כבשן)"],
    ["ادفع إلى {merchant} الآن", "Kiln Street (UK)"],
  ])("doesn't let a merchant's name of the other direction move the words around it: %s", (sentence, merchant) => {
    expect(fill(sentence, { merchant })).toBe(sentence.replace("{merchant}", `\u2068${merchant}\u2069`));
  });

  it.each([
    ["en", 1, "1 time"],
    ["en", 2, "2 times"],
    ["ar", 2, "twice"],
    ["ar", 3, "3 times"],
  ])("has in %s for %i the plural %s", (locale, count, said) => {
    expect(fillCount({ one: "{count} time", two: "twice", other: "{count} times" }, count, `${locale}-u-nu-latn`)).toBe(
      said,
    );
  });
});
