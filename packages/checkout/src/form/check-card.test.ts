import { describe, expect, it } from "vitest";
import { checkCardField, readCard } from "./check-card.ts";

const now = Date.UTC(2027, 5, 15);
const good = { number: "4242424242424242", expiry: "12 / 34", cvc: "123" };

describe("reading and checking the card", () => {
  it("reads the card when all three fields are valid", () => {
    expect(readCard(good, now)).toEqual({ number: "4242424242424242", exp_month: 12, exp_year: 2034, cvc: "123" });
  });

  it.each([
    ["number", "numberMissing"],
    ["expiry", "expiryMissing"],
    ["cvc", "cvcMissing"],
  ] as const)("returns null and a problem while the field %s is empty", (name, problem) => {
    const typed = { ...good, [name]: "" };
    expect(readCard(typed, now)).toBeNull();
    expect(checkCardField(name, typed, now)).toBe(problem);
  });

  it.each([
    ["424242", "numberIncomplete"],
    ["4242424242424241", "numberWrong"],
    ["4242424242424242", null],
    ["378282246310005", null],
    ["6222040000030012", null], // UnionPay, without a check digit
    ["622204000003001", "numberIncomplete"],
  ] as const)("checks the number %s: %s", (number, problem) => {
    expect(checkCardField("number", { ...good, number }, now)).toBe(problem);
  });

  it.each([
    ["05 / 27", "expiryPast"],
    ["06 / 27", null],
    ["04", "expiryIncomplete"],
    ["04 / 2", "expiryIncomplete"],
    ["04 / 202", "expiryIncomplete"],
    ["13 / 28", "expiryIncomplete"],
    ["00 / 29", "expiryIncomplete"],
    ["01 / 99", "expiryFar"],
  ] as const)("checks the expiry %s: %s", (expiry, problem) => {
    expect(checkCardField("expiry", { ...good, expiry }, now)).toBe(problem);
  });

  it("accepts a card for one day after it expired", () => {
    expect(checkCardField("expiry", { ...good, expiry: "05 / 27" }, Date.UTC(2027, 5, 1, 12))).toBeNull();
  });

  it.each([
    ["Maestro", "5000550000000029"],
    ["Bancontact", "6703444444444449"],
  ])("accepts a %s card with a code and without, but not with a part of one", (_brand, number) => {
    expect(readCard({ ...good, number, cvc: "" }, now)).toMatchObject({ number, cvc: "" });
    expect(readCard({ ...good, number }, now)).toMatchObject({ number, cvc: "123" });
    expect(checkCardField("cvc", { ...good, number, cvc: "12" }, now)).toBe("cvcIncomplete3");
  });

  it("requires a four-digit code for American Express and three digits for other brands", () => {
    expect(checkCardField("cvc", { ...good, cvc: "1234" }, now)).toBe("cvcIncomplete3");
    expect(checkCardField("cvc", { ...good, number: "378282246310005", cvc: "123" }, now)).toBe("cvcIncomplete4");
    expect(checkCardField("cvc", { ...good, number: "378282246310005", cvc: "1234" }, now)).toBeNull();
  });
});
