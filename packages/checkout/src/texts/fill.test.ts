import { describe, expect, it } from "vitest";
import { fill, fillCount, joinSentences, writeFilled } from "./fill.ts";

describe("filling in placeholders", () => {
  it("replaces a placeholder with its value", () => {
    expect(fill("Pay {amount} to {merchant}.", { amount: "€49.00", merchant: "Fernweh" })).toBe(
      "Pay €49.00 to Fernweh.",
    );
  });

  it("inserts values as plain text, without filling in their placeholders or the patterns of `replace`", () => {
    expect(fill("{merchant} keeps {amount}", { merchant: "{amount} $& $1 <b>", amount: "1" })).toBe(
      "{amount} $& $1 <b> keeps 1",
    );
  });

  it.each([
    ["Pay {merchant} now", "סטודיו (כבשן)"],
    ["ادفع إلى {merchant} الآن", "Kiln Street (UK)"],
  ])("isolates a merchant's name with a different writing direction: %s", (sentence, merchant) => {
    expect(fill(sentence, { merchant })).toBe(sentence.replace("{merchant}", `\u2068${merchant}\u2069`));
  });

  it("writes values as text that browsers don't translate, in their own writing direction", () => {
    const element = document.createElement("p");
    element.textContent = "before";
    writeFilled(element, "Pay {amount} to {merchant}.", { amount: "€49.00", merchant: "{amount} <b>" });
    expect(element.innerHTML).toBe(
      'Pay <bdi translate="no">€49.00</bdi> to <bdi translate="no">{amount} &lt;b&gt;</bdi>.',
    );
    writeFilled(element, "Pay", { amount: "€49.00" });
    expect(element.innerHTML).toBe("Pay");
  });

  it.each([
    ["en", 1, "1 time"],
    ["en", 2, "2 times"],
    ["ar", 2, "twice"],
    ["ar", 3, "3 times"],
  ])("in %s, formats a count of %i as %s", (locale, count, said) => {
    expect(fillCount({ one: "{count} time", two: "twice", other: "{count} times" }, count, `${locale}-u-nu-latn`)).toBe(
      said,
    );
  });

  it.each([
    ["en", "Declined. Try again."],
    ["zh-Hant", "Declined.Try again."],
    ["ja", "Declined.Try again."],
  ])("in %s, joins the sentences that aren't missing with the language's space", (language, joined) => {
    expect(joinSentences({ language }, "Declined.", null, false, "Try again.")).toBe(joined);
  });
});
