import { describe, expect, it } from "vitest";
import { sharedTestCards, testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";
import { containsCardNumber } from "./card-number.ts";

const networks: [string, string][] = [
  ["Visa", "4242424242424242"],
  ["Visa, 19 digits", "4242424242424242428"],
  ["Visa, 13 digits", "4222222222222"],
  ["Mastercard", "5555555555554444"],
  ["Mastercard, series 2", "2223003122003222"],
  ["American Express", "378282246310005"],
  ["Discover", "6011111111111117"],
  ["Diners Club", "30569309025904"],
  ["Diners Club, series 36", "36227206271667"],
  ["JCB", "3530111333300000"],
  ["UnionPay", "6200000000000005"],
  ["UnionPay, 19 digits", "6205500000000000004"],
  ["Maestro", "6759649826438453"],
  ["Maestro, 19 digits", "6799990100000000019"],
  ["Maestro, 12 digits", "501800000009"],
  ["Mir", "2200000000000004"],
  ["RuPay", "6074820000000009"],
];

describe("containsCardNumber", () => {
  it.each(networks)("finds a card number of %s: %s", (_network, number) => {
    expect(containsCardNumber(number)).toBe(true);
  });

  it("finds every published test card", () => {
    const cards = [testCards, troubleCards, sharedTestCards].flatMap((cards) => Object.values(cards));
    const all = [...cards, ...Object.values(threeDSecureCards).flat()];
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((number) => !containsCardNumber(number))).toEqual([]);
  });

  it.each([
    "4242 4242 4242 4242",
    "4242-4242-4242-4242",
    "4242-4242 4242-4242",
    "4242 4242 4242 4242 428",
    "3782 822463 10005",
    "3782-822463-10005",
    "3056 930902 5904",
    "620550 0000000000004",
    "my card is 4242424242424242, thanks",
    "card:4242424242424242",
    "card4242424242424242",
    "4242424242424242visa",
    "pan=4242424242424242&cvc=123",
    "pm_4242424242424242",
    "order-4242424242424242",
    "(4242424242424242)",
    "4242424242424242.",
    "4242424242424242.00",
    "4242424242424242,12/28,123",
    "4242 4242 4242 4242 12/28 123",
    "4242 4242 4242 4242 123",
    "4242424242424242 1228 123",
    "room 12 4242 4242 4242 4242",
    "2024 4242424242424242",
    "first 4242424242424241 then 4242424242424242",
    "4242\u00a04242\u00a04242\u00a04242",
    "4242\u20094242\u20094242\u20094242",
    "4242\u20114242\u20134242\u22124242",
    "4242\u200b4242\u00ad4242\u20604242",
    "４２４２４２４２４２４２４２４２",
    "٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢",
    "۴۲۴۲۴۲۴۲۴۲۴۲۴۲۴۲",
    "४२४२४२४२४२४२४२४२",
    "𑛔𑛒𑛔𑛒𑛔𑛒𑛔𑛒𑛔𑛒𑛔𑛒𑛔𑛒𑛔𑛒",
    "𑛞𑛜𑛞𑛜𑛞𑛜𑛞𑛜𑛞𑛜𑛞𑛜𑛞𑛜𑛞𑛜",
    "𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐",
    "カード番号4242424242424242です",
    "номер:4242424242424242",
  ])("finds a card number in %j", (text) => {
    expect(containsCardNumber(text)).toBe(true);
  });
});

describe("containsCardNumber, for text without a card number", () => {
  it.each([
    ["empty", ""],
    ["a wrong check digit", "4242424242424241"],
    ["a wrong check digit, in groups", "4242 4242 4242 4241"],
    ["a UnionPay number without a check digit", "6222040000030012"],
    ["a range that no network issues", "1234567890123452"],
    ["a range that no network issues, beginning with 6", "6666666666666664"],
    ["a length the network doesn't have", "42424242424242422"],
    ["a length the network doesn't have", "55555555555544446"],
    ["a longer number", "42424242424242424242"],
    ["a longer number", "004242424242424242"],
    ["a longer number in groups", "4242 4242 4242 4242 4242"],
    ["a longer number with hyphens", "2024-4242-4242-4242-4242"],
    ["an order number after its year", "2024-4242424242424242"],
    ["two spaces", "4242  4242  4242  4242"],
    ["groups that no card has", "42 42 42 42 42 42 42 42"],
    ["a decimal number", "13.4242424242424242"],
    ["a UUID", "4242424a-4242-4242-8424-424242424242"],
    ["a UUID of digits only", "42424242-4242-4242-4242-424242424242"],
    ["a UUID whose last group looks like a card", "3e57f874-c7df-4d78-b0ac-572301401897"],
    ["a UUID whose middle groups look like a card", "12abc34d-6304-4000-8021-abcdefabcdef"],
    ["a hash", "9f4242424242424242ab4242424242424242cd"],
    ["an IBAN", "DK5000400440116243"],
    ["an IBAN in groups", "DE75 5121 0800 1245 1261 99"],
    ["an IBAN that begins like a Visa", "DE65 4242 4242 4242 4242 00"],
    ["an EAN", "4006381333931"],
    ["an EAN that passes the check of cards too", "4006381333023"],
    ["a UPC", "036000291452"],
    ["a telephone number", "+49 30 901820"],
    ["a time in milliseconds", "1795434842424"],
    ["a date and a time", "20261123 112424"],
    ["an Oriel ID", "ch_01kaq4242424242424242424242"],
    ["a Swiss reference", "21 00000 00003 13947 14300 09017"],
  ])("ignores %s: %j", (_what, text) => {
    expect(containsCardNumber(text)).toBe(false);
  });

  it("is fast for long texts of every kind", () => {
    const size = 64 * 1024;
    const fill = (part: string) => part.repeat(size / part.length);
    const texts = [
      "1",
      "1 ",
      "1-",
      "4242 ",
      "4242-",
      "a1",
      "abc",
      "DE00 4242 4242 ",
      "4242\u200b",
      "٤",
      "1.1 ",
      "é 4242 ",
    ].map(fill);
    expect(texts.filter(containsCardNumber)).toEqual([]);
  });
});
