import { describe, expect, it } from "vitest";
import { noAmount, parseAmount, writeAmount } from "./parse-amount.ts";

describe("the amount parser", () => {
  it.each([
    ["10", "eur", 1000],
    ["10.5", "eur", 1050],
    ["10,50", "eur", 1050],
    [" 1 000.00 ", "eur", 100_000],
    ["0.01", "eur", 1],
    ["19.99", "usd", 1999],
    ["1000", "jpy", 1000],
    ["1.234", "kwd", 1234],
    ["0.0001", "clf", 1],
    ["1,5", "kwd", 1500],
    ["1,25", "kwd", 1250],
  ])("parses %s %s as %i in the smallest unit", (text, currency, amount) => {
    expect(parseAmount(text, currency)).toBe(amount);
  });

  it.each([
    ["", "eur"],
    ["0", "eur"],
    ["-1", "eur"],
    ["1e3", "eur"],
    ["10.555", "eur"],
    ["10.5", "jpy"],
    ["1,000.00", "eur"],
    ["0x10", "eur"],
    ["1234567890123", "eur"],
    ["1,000", "eur"],
    ["1,000", "kwd"],
    ["1,000", "bhd"],
    ["1,000", "jod"],
    ["1,000", "omr"],
    ["1,000", "tnd"],
    ["12,500", "clf"],
    ["1,000", "jpy"],
    ["1,000.000", "kwd"],
  ])("refuses %j in %s", (text, currency) => {
    expect(parseAmount(text, currency)).toBeNull();
  });

  it.each([
    ["1,000", "kwd", "Enter 1000 or 1.000, without a comma."],
    ["1,000", "eur", "Enter 1000, without a comma."],
    ["ten", "eur", "Enter a valid EUR amount."],
  ])("explains what is wrong with %s %s: %s", (text, currency, sentence) => {
    expect(noAmount(text, currency)).toBe(sentence);
  });

  it.each([
    [1050, "eur", "10.50"],
    [5, "eur", "0.05"],
    [1000, "jpy", "1000"],
    [1, "kwd", "0.001"],
  ])("formats %i %s as %s", (amount, currency, text) => {
    expect(writeAmount(amount, currency)).toBe(text);
    expect(parseAmount(text, currency)).toBe(amount);
  });
});
