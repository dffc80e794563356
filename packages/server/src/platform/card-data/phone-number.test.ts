import { describe, expect, it } from "vitest";
import { containsCardNumber } from "./card-number.ts";
import { mayBeCardNumber } from "./phone-number.ts";

describe("a phone number", () => {
  it.each([
    "+639175550149",
    "+573015550102",
    "+4915123456787",
    "+63 917 555 0142",
    "63 917 555 0149",
    "0063.917.555.0149",
    "030 123456",
    "+49 30 123456",
    "+49 (30) 123456-789, +49 171 2345678",
    "",
  ])("isn't taken for a card number: %s", (phone) => {
    expect(mayBeCardNumber(phone)).toBe(false);
  });

  it("could be taken for one elsewhere", () => {
    expect(["+639175550149", "+573015550102"].filter(containsCardNumber)).toHaveLength(2);
  });

  it.each([
    "4242424242424242",
    "+4242424242424242",
    "+4242 4242 4242 4242",
    "+378282246310005",
    " + 30569309025904",
    "4242.4242.4242.4242",
    "4242/4242/4242/4242",
    "4242_4242_4242_4242",
    "(4242) 4242  4242\t4242",
    "3782.822463.10005",
  ])("is refused if it's a card number: %s", (phone) => {
    expect(mayBeCardNumber(phone)).toBe(true);
  });
});
