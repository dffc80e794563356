import { expect, it } from "vitest";
import { isIban, plainIban } from "./iban.ts";

/** Examples from the ISO 13616 registry. */
const examples = [
  "DE89 3704 0044 0532 0130 00",
  "GB29NWBK60161331926819",
  "NO93 8601 1117 947",
  "MT84MALT011000012345MTLCAST001S",
];

it.each(examples)("isIban accepts %s, with or without spaces and in any case", (text) => {
  expect(isIban(plainIban(text))).toBe(true);
  expect(isIban(plainIban(text.toLowerCase()))).toBe(true);
});

it.each(examples)("isIban rejects %s with any one character changed or two adjacent ones swapped", (text) => {
  const iban = plainIban(text);
  const mistyped = Array.from(iban).flatMap((sign, at) => {
    const [before, after] = [iban.slice(0, at), iban.slice(at + 1)];
    return [`${before}${sign === "7" ? "3" : "7"}${after}`, `${before}${after.slice(0, 1)}${sign}${after.slice(1)}`];
  });
  expect(mistyped.filter((other) => other !== iban && isIban(other))).toEqual([]);
});

it.each(["", "DE", "89370400440532013000", "DE8937040044053201300Ü", "DE00", `DE89${"0".repeat(40)}`])(
  "isIban rejects %j",
  (text) => {
    expect(isIban(plainIban(text))).toBe(false);
  },
);
